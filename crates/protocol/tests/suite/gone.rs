//! Whether anything of a process is left.

/// How often it is looked for; between two looks others run. No clock is read: a busy machine gives the one that is to go its turns, too.
const LOOKS: usize = 1_000_000;

/// Nothing of this process is left, not even a zombie of ours. Another one's is buried by the system, which may take a moment.
pub(crate) fn assert_gone(pid: &str) {
    let mut looks = 0;
    while is_alive(pid) {
        looks += 1;
        assert!(looks < LOOKS, "process {pid} is left");
        std::thread::yield_now();
    }
}

fn is_alive(pid: &str) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let mut words = after_name.split(' ');
    let (state, parent) = (words.next(), words.next());
    // A zombie that is not ours waits for the system's first process.
    state != Some("Z") || parent == Some(&std::process::id().to_string())
}
