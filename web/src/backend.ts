// Who answers: the server of the studio, or, on an exported site, WebAssembly in workers and files.

import { signal } from "@preact/signals";

export type Answer = { type: string; id?: number; message?: string; [key: string]: unknown };
export type Listener = (message: Answer) => void;

/** A search that runs until its last word, or until it is stopped. */
export interface Search {
  stop(): void;
  explore(path: string, top: number, depth: number): void;
  /** Keeps the tree in a file of the studio, which is called by the name given back. */
  save(): Promise<string>;
}

export interface Backend {
  /** Whether there is a server, with experiments that run and searches by several threads. */
  server: boolean;
  ask(request: Record<string, unknown>): Promise<Answer>;
  search(order: Record<string, unknown>, listen: Listener): Search;
}

/** `open`, `lost` (trying again), or `none`: a site without the WebAssembly program. */
export const connection = signal<"opening" | "open" | "lost" | "none">("opening");

class Failure extends Error {}

function settle(message: Answer, resolve: (answer: Answer) => void, reject: (error: Error) => void) {
  if (message.type === "error") reject(new Failure(message.message ?? "error"));
  else resolve(message);
}

/** Requests over one WebSocket. What is asked while it is closed is sent when it opens again: every request carries its position. */
class Server implements Backend {
  server = true;
  private socket: WebSocket | null = null;
  private next = 1;
  private waiting = new Map<number, { text: string; hear: Listener; done: boolean }>();
  /** Searches that are over, the oldest first: their trees can still be looked into for a while. */
  private over: number[] = [];

  constructor() {
    this.connect();
  }

  private connect() {
    const url = new URL("ws", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    url.hash = "";
    const socket = new WebSocket(url);
    socket.onopen = () => {
      this.socket = socket;
      connection.value = "open";
      for (const entry of this.waiting.values()) if (!entry.done) socket.send(entry.text);
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data as string) as Answer;
      this.waiting.get(message.id ?? -1)?.hear(message);
    };
    socket.onclose = () => {
      if (this.socket === socket) this.socket = null;
      connection.value = "lost";
      setTimeout(() => this.connect(), 700);
    };
  }

  private send(request: Record<string, unknown>, hear: Listener): number {
    const id = this.next++;
    const text = JSON.stringify({ id, ...request });
    const open = this.socket?.readyState === WebSocket.OPEN;
    this.waiting.set(id, { text, hear, done: false });
    if (open) this.socket!.send(text);
    return id;
  }

  ask(request: Record<string, unknown>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const id = this.send(request, (message) => {
        this.waiting.delete(id);
        settle(message, resolve, reject);
      });
    });
  }

  search(order: Record<string, unknown>, listen: Listener): Search {
    const id = this.send({ do: "search", live: true, ...order }, (message) => {
      const entry = this.waiting.get(id)!;
      if (!entry.done && (message.final === true || message.type === "error")) {
        entry.done = true;
        this.over.push(id);
        if (this.over.length > 16) this.waiting.delete(this.over.shift()!);
      }
      listen(message);
    });
    return {
      stop: () => {
        if (this.waiting.get(id)?.done === false) void this.ask({ do: "stop", search: id }).catch(() => {});
      },
      explore: (path, top, depth) => {
        const text = JSON.stringify({ id: this.next++, do: "explore", search: id, path, top, depth });
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
      },
      save: async () => (await this.ask({ do: "save-tree", search: id })).name as string,
    };
  }
}

/** A site without a server: each worker runs the program of `crates/page` on one line of input. */
class Site implements Backend {
  server = false;
  private module: Promise<WebAssembly.Module> | null = null;
  private quick: Worker | null = null;
  private waiting = new Map<number, Listener>();
  private next = 1;
  private runs: Promise<{ name: string; file: number }[]> | null = null;

  constructor(wasm: boolean) {
    connection.value = wasm ? "open" : "none";
    if (wasm) {
      const load = async () => WebAssembly.compile(await (await fetch("yomi-page.wasm")).arrayBuffer());
      this.module = load();
    }
  }

  private async worker(listen: Listener): Promise<Worker> {
    const module = await this.module!;
    const worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = (event) => listen(JSON.parse(event.data as string) as Answer);
    worker.postMessage({ module });
    return worker;
  }

  async ask(request: Record<string, unknown>): Promise<Answer> {
    const data = await this.fromFiles(request);
    if (data) return data;
    if (!this.module) throw new Failure("this site has no WebAssembly program: it shows results only");
    this.quick ??= await this.worker((message) => this.waiting.get(message.id ?? -1)?.(message));
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, (message) => {
        this.waiting.delete(id);
        settle(message, resolve, reject);
      });
      this.quick!.postMessage({ line: JSON.stringify({ id, ...request }) });
    });
  }

  search(order: Record<string, unknown>, listen: Listener): Search {
    const id = this.next++;
    let worker: Worker | null = null;
    let last: Answer | null = null;
    let over = false;
    const hear = (message: Answer) => {
      if (over) return;
      if (message.type === "analysis") last = message;
      over = message.final === true || message.type === "error";
      listen(message);
      if (over) worker?.terminate();
    };
    if (!this.module) setTimeout(() => listen({ type: "error", message: "this site has no WebAssembly program" }), 0);
    else
      void this.worker(hear).then((ready) => {
        worker = ready;
        if (over) return ready.terminate();
        ready.postMessage({ line: JSON.stringify({ id, do: "search", live: true, ...order }) });
      });
    return {
      stop: () => {
        if (over) return;
        // A worker that searches hears nothing: it is ended, and its latest report is its last word.
        if (last) hear({ ...last, final: true, ended: "stopped" });
        else hear({ type: "error", message: "stopped before the first report" });
      },
      explore: () => {},
      save: () => Promise.reject(new Failure("a site without a server keeps no trees")),
    };
  }

  private async fromFiles(request: Record<string, unknown>): Promise<Answer | null> {
    const file = async (name: string) => (await (await fetch(`data/${name}.json`)).json()) as Answer;
    this.runs ??= file("runs").then((answer) => answer.runs as { name: string; file: number }[]);
    const run = async () => (await this.runs!).find((run) => run.name === request.name)?.file ?? -1;
    switch (request.do) {
      case "trees":
        return { type: "trees", trees: [] };
      case "experiments":
      case "league":
      case "learners":
      case "runs":
        return file(request.do);
      case "experiment": {
        const found = ((await file("experiments")).experiments as Answer[]).find((e) => e.name === request.name);
        const runs = (await this.runs!).filter((r) => (r as unknown as Answer).experiment === request.name);
        return { note: [], parts: [], jobs: 0, reproducible: true, running: null, report: null, runs, ...found, type: "experiment", missing: "this is an exported site" };
      }
      case "run":
        return file(`run-${await run()}`);
      case "games": {
        const answer = await file(`games-${await run()}-${request.part ?? 0}`);
        const games = answer.games as { row: number }[];
        return request.row == null ? answer : { ...answer, games: games.filter((game) => game.row === request.row) };
      }
      case "curves":
      case "lessons": {
        const learners = (await file("learners")).learners as { name: string }[];
        return file(`${request.do}-${learners.findIndex((learner) => learner.name === request.name)}`);
      }
      default:
        return null;
    }
  }
}

/** An exported site says so in its first tag. */
const site = document.documentElement.dataset.site;

export const backend: Promise<Backend> = Promise.resolve(site ? new Site(site === "wasm") : new Server());


export async function ask<T = Answer>(request: Record<string, unknown>): Promise<T> {
  return (await (await backend).ask(request)) as T;
}
