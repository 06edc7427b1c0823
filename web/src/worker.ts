// The program of crates/page as WebAssembly (wasm32-wasip1) in a worker: a line in, lines out.

let module: WebAssembly.Module;

/** Only what the program uses of WASI: standard input and output, and the clock. */
function run(line: string) {
  const input = new TextEncoder().encode(line + "\n");
  const decoder = new TextDecoder();
  let read = 0;
  let text = "";
  let memory: WebAssembly.Memory;
  const view = () => new DataView(memory.buffer);
  const calls: Record<string, (...args: number[]) => number> = {
    fd_read(_fd, vectors, count, done) {
      let total = 0;
      for (let i = 0; i < count; i++) {
        const [at, room] = [view().getUint32(vectors + 8 * i, true), view().getUint32(vectors + 8 * i + 4, true)];
        const part = input.subarray(read, read + room);
        new Uint8Array(memory.buffer, at, part.length).set(part);
        read += part.length;
        total += part.length;
      }
      view().setUint32(done, total, true);
      return 0;
    },
    fd_write(fd, vectors, count, done) {
      let total = 0;
      for (let i = 0; i < count; i++) {
        const [at, length] = [view().getUint32(vectors + 8 * i, true), view().getUint32(vectors + 8 * i + 4, true)];
        if (fd === 1) text += decoder.decode(new Uint8Array(memory.buffer, at, length), { stream: true });
        total += length;
      }
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        postMessage(text.slice(0, end));
        text = text.slice(end + 1);
      }
      view().setUint32(done, total, true);
      return 0;
    },
    clock_time_get(id, _precision, at) {
      const ms = id === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
      return 0;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    args_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    args_get: () => 0,
    random_get(at, length) {
      crypto.getRandomValues(new Uint8Array(memory.buffer, at, length));
      return 0;
    },
    proc_exit(code) {
      throw new Error(`exit ${code}`);
    },
  };
  const wasi: Record<string, unknown> = {};
  // What else the standard library could call is not there.
  for (const { name } of WebAssembly.Module.imports(module)) wasi[name] = calls[name] ?? (() => 52);
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi as WebAssembly.ModuleImports });
  memory = instance.exports.memory as WebAssembly.Memory;
  try {
    (instance.exports._start as () => void)();
  } catch (error) {
    const message_text = String(error);
    if (!message_text.includes("exit 0")) {
      const id = (JSON.parse(line) as { id: number }).id;
      postMessage(JSON.stringify({ type: "error", id, message: message_text }));
    }
  }
}

onmessage = (event: MessageEvent<{ module?: WebAssembly.Module; line?: string }>) => {
  if (event.data.module) module = event.data.module;
  if (event.data.line) run(event.data.line);
};
