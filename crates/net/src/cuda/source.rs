//! Kernel sources put together for a shape, and their compilation.

use super::plan::{Form, columns, head_group};
use super::shape::Shape;

const COMMON: &str = include_str!("kernels/common.cu");
const PLANES: &str = include_str!("kernels/planes.cu");
const HOPPER: &str = include_str!("kernels/hopper.cu");
const TOWER: &str = include_str!("kernels/tower.cu");
const CLUSTER: &str = include_str!("kernels/cluster.cu");
const COLUMNS: &str = include_str!("kernels/columns.cu");
const PORTABLE: &str = include_str!("kernels/portable.cu");
const FINISH: &str = include_str!("kernels/finish.cu");

/// The virtual architecture of the fused kernel: Hopper with its own instructions.
pub(super) const HOPPER_ARCHITECTURE: &str = "compute_90a";
/// That of all other kernels.
pub(super) const PORTABLE_ARCHITECTURE: &str = "compute_80";

/// The fused kernel in one form; `dense` for positions that are planes already.
pub(super) fn tower(shape: &Shape, form: &Form, dense: bool) -> String {
    let products = if form.columns {
        let columns = columns(shape.layout.board());
        product("product_columns", columns, false) + &product_of_shared(columns)
    } else {
        product("product_tower", shape.channels / form.cluster, shape.eight)
            + &product("product_heads", head_group(shape), false)
    };
    // The macros of the group of threads come before the planes that use them.
    let (group, kernel) = split_group(match form {
        Form { columns: true, .. } => COLUMNS,
        Form { cluster: 2.., .. } => CLUSTER,
        _ => TOWER,
    });
    [&shape.definitions(), &form.definitions(shape, dense), COMMON, HOPPER, &products, group, PLANES, kernel].concat()
}

/// The kernels that work layer by layer.
pub(super) fn portable(shape: &Shape) -> String {
    let (group, kernels) = split_group(PORTABLE);
    let padded = format!("#define HEADS_PADDED {}\n", padded_heads(shape));
    [&shape.definitions(), &padded, COMMON, group, PLANES, kernels, FINISH].concat()
}

/// The last kernel alone.
pub(super) fn finish(shape: &Shape) -> String {
    [&shape.definitions(), COMMON, FINISH].concat()
}

/// Outputs of the heads as the portable kernels compute them.
pub(super) fn padded_heads(shape: &Shape) -> usize {
    shape.heads().next_multiple_of(64)
}

/// What comes before the first blank line that follows a definition of `GROUP_ANY`, and the rest.
fn split_group(text: &str) -> (&str, &str) {
    let at = text.find("#define GROUP_ANY").and_then(|at| text[at..].find("\n\n").map(|end| at + end + 1));
    text.split_at(at.unwrap_or(0))
}

/// A product of a warpgroup: 64 rows of 16 halves, or 32 numbers of eight bits, from registers times a matrix of `columns` columns in shared
/// memory. The instruction names every register of its sums, so its text depends on the width.
fn product(name: &str, columns: usize, eight: bool) -> String {
    let (kind, end) = if eight { ("k32.f32.e4m3.e4m3", "1, 1") } else { ("k16.f32.f16.f16", "1, 1, 0") };
    let sums = columns / 2;
    let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(", ");
    let registers = list(&mut (0..sums).map(|i| format!("%{i}")));
    let outputs = list(&mut (0..sums).map(|i| format!("\"+f\"(sums[{i}])")));
    let [a, b, c, d, right] = [0, 1, 2, 3, 4].map(|i| sums + i);
    format!(
        "__device__ __forceinline__ void {name}(float (&sums)[{sums}], const u32 (&left)[4], u64 right) {{\n\
         asm volatile(\"{{.reg .pred add; setp.ne.b32 add, 1, 0; wgmma.mma_async.sync.aligned.m64n{columns}{kind} {{{registers}}}, {{%{a}, %{b}, %{c}, %{d}}}, %{right}, add, {end};}}\\n\"\n\
         : {outputs}\n: \"r\"(left[0]), \"r\"(left[1]), \"r\"(left[2]), \"r\"(left[3]), \"l\"(right));\n}}\n"
    )
}

/// The same with 64 rows of 16 halves from shared memory too.
fn product_of_shared(columns: usize) -> String {
    let sums = columns / 2;
    let registers: Vec<String> = (0..sums).map(|i| format!("%{i}")).collect();
    let outputs: Vec<String> = (0..sums).map(|i| format!("\"+f\"(sums[{i}])")).collect();
    let (left, right) = (sums, sums + 1);
    format!(
        "__device__ __forceinline__ void product_of_shared(float (&sums)[{sums}], u64 left, u64 right) {{\n\
         asm volatile(\"{{.reg .pred add; setp.ne.b32 add, 1, 0; wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{}}}, %{left}, %{right}, add, 1, 1, 0, 0;}}\\n\"\n\
         : {}\n: \"l\"(left), \"l\"(right));\n}}\n",
        registers.join(", "),
        outputs.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_comes_first() {
        for text in [TOWER, CLUSTER, COLUMNS, PORTABLE] {
            let (group, rest) = split_group(text);
            assert!(group.contains("#define GROUP_SYNC") && group.contains("#define GROUP_ANY"));
            assert!(rest.contains("planes_of("));
        }
    }
}
