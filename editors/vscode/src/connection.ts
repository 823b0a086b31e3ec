/**
 * The connection to the daemon: one for this editor, made with the first request.
 *
 * Knows how the daemon is found, started and spoken to. It must not know what any method does, nor the editor.
 */

import * as child from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import {
  type CancellationToken, createMessageConnection, type MessageConnection, ResponseError, StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import type { HelloResult, Methods, ProjectEventKind } from './protocol';

/** Features of the daemon that this extension cannot do without. */
export const FEATURES = [
  'framing.headers', 'plan.files', 'plan.rest', 'plan.omit', 'plan.reports', 'plan.context', 'overlays.uri', 'edits.lines',
  'edits.mixed', 'embed.overlays', 'reports', 'places', 'approval.answer', 'approval.text', 'project.root', 'events.moves',
  'execute.saved', 'plan.edited', 'text.merge', 'review',
];

const KINDS: ProjectEventKind[] = ['executed', 'undone', 'approvalAsked', 'approvalAnswered', 'staged'];
const MOST_RETRY_MS = 60_000;
const SLOW_MS = 3_000;

/** The error of a request, or of the connection (`no_daemon`, `not_available`). */
export class Failure extends Error {
  /** `operation` is what was done before it was stopped. */
  constructor(message: string, readonly kind: string, readonly hint?: string, readonly operation?: string) {
    super(message);
  }
}

/** The surroundings of a connection: settings, read each time, and what is told. */
export interface Host {
  readonly name: string;
  readonly version: string;
  programs(): { client: string; daemon: string; socket: string };
  notified(method: string, params: unknown): void;
  subscribed(root: string): void;
  changed(): void;
  /** A request has no answer yet. */
  slow(method: string): void;
  /** The first pause before a lost connection is made anew. */
  readonly retryMs?: number;
}

interface Link {
  readonly rpc: MessageConnection;
  readonly end: () => void;
  hello?: HelloResult;
}

/** Returns the environment for programs and commands, without what the editor's own processes need. */
export function environment(): Record<string, string> {
  const pairs = Object.entries(process.env).filter(([name]) => !/^(VSCODE|ELECTRON)_/.test(name));
  return Object.fromEntries(pairs.map(([name, value]) => [name, (value ?? '').toWellFormed()]));
}

/** Returns the absolute path of a program, by its name in PATH or as it is given. Never one by a relative path. */
export async function program(name: string): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const names = name === 'clada-client' ? [name, 'clada'] : [name];
  const candidates = path.isAbsolute(name) ? [name] : name.includes('/') ? []
    : names.flatMap((each) => folders.map((folder) => path.join(folder, each)));
  for (const candidate of candidates) {
    const isFile = await fs.stat(candidate).then((stat) => stat.isFile(), () => false);
    if (isFile && await fs.access(candidate, fs.constants.X_OK).then(() => true, () => false)) {
      return candidate;
    }
  }
  return undefined;
}

/** What an error says; `result` has what was done before it was stopped. */
interface StoppedData {
  kind?: string;
  hint?: string;
  result?: { operationId?: string };
}

function failure(error: unknown): Failure {
  if (error instanceof Failure) {
    return error;
  }
  const data = error instanceof ResponseError ? error.data as StoppedData | undefined : undefined;
  if (data?.kind) {
    return new Failure((error as Error).message, data.kind, data.hint, data.result?.operationId || undefined);
  }
  return new Failure('The daemon has ended the connection.', 'no_daemon',
    'What was under way may be done: see the history.');
}

export class Daemon {
  private link: Link | undefined;
  private connecting: Promise<Link> | undefined;
  private found: { socket?: string; version?: string } = {};
  /** Roots; true: this connection has asked for their events. */
  private readonly roots = new Map<string, boolean>();
  private retry: NodeJS.Timeout | undefined;
  private pause: number;
  private stopped = false;

  constructor(private readonly host: Host) {
    this.pause = host.retryMs ?? 1000;
  }

  /** True, false if a connection was lost, or undefined if none was needed yet. */
  get up(): boolean | undefined {
    return this.link ? true : this.found.socket === undefined ? undefined : false;
  }

  /** Sends a request, over a new connection if need be. Says so if it has no answer for a while. */
  async call<M extends keyof Methods>(method: M, params: Methods[M]['params'], token?: CancellationToken):
  Promise<Methods[M]['result']> {
    const slow = setTimeout(() => this.host.slow(method), SLOW_MS);
    try {
      const link = await this.connect();
      if (token?.isCancellationRequested) {
        throw new Failure('It was cancelled.', 'cancelled');
      }
      // An argument that is there counts as a parameter, even if it is undefined.
      const words = token ? [params, token] : [params];
      return await link.rpc.sendRequest(method as string, ...words);
    } catch (error) {
      const found = failure(error);
      throw found.kind === 'method_not_found' && this.link ? this.old(this.link.hello?.version, method) : found;
    } finally {
      clearTimeout(slow);
    }
  }

  /** Subscribes to the operations of a root, once. It outlives connections. */
  subscribe(root: string): void {
    const link = this.link;
    if (link && !this.roots.get(root)) {
      this.roots.set(root, true);
      // Without it the editor only learns later what others did.
      link.rpc.sendRequest('subscribe', { root, kinds: KINDS }).then(
        () => this.host.subscribed(root),
        (error: unknown) => error instanceof ResponseError && error.data !== undefined && this.roots.delete(root),
      );
    } else if (!this.roots.has(root)) {
      this.roots.set(root, false);
    }
  }

  /** Ends the daemon, and the connection; the next request makes a new one. */
  async restart(): Promise<void> {
    const link = this.link;
    this.stop();
    if (link) {
      await Promise.race([
        link.rpc.sendRequest('shutdown', {}).catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, 5000).unref()),
      ]);
      link.end();
    }
  }

  dispose(): void {
    const link = this.link;
    this.stop();
    link?.end();
  }

  private stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    this.link = undefined;
    this.roots.forEach((_, root) => this.roots.set(root, false));
    this.host.changed();
  }

  private connect(): Promise<Link> {
    if (this.link) {
      return Promise.resolve(this.link);
    }
    this.stopped = false;
    clearTimeout(this.retry);
    this.connecting ??= this.dial(false).catch((error: unknown) => {
      if (failure(error).kind !== 'no_daemon') {
        throw error;
      }
      return this.find();
    }).finally(() => {
      this.connecting = undefined;
      this.host.changed();
    });
    return this.connecting;
  }

  /** Connects again, for the subscriptions; it never starts a daemon that somebody has ended. */
  private reconnect(): void {
    clearTimeout(this.retry);
    if (this.link || this.stopped || this.roots.size === 0) {
      return;
    }
    this.retry = setTimeout(() => {
      this.connecting ??= this.dial(false).finally(() => {
        this.connecting = undefined;
        this.host.changed();
      });
      this.connecting.catch(() => {
        this.pause = Math.min(this.pause * 2, MOST_RETRY_MS);
        this.reconnect();
      });
    }, this.pause);
    this.retry.unref();
  }

  /** Asks the client for the daemon, which starts one if there is none. */
  private async find(): Promise<Link> {
    const { client, socket } = this.host.programs();
    const file = await program(client);
    if (!file) {
      throw new Failure(`${client} was not found.`, 'no_daemon', 'Install clada, or set clada.client to its path.');
    }
    const words = [...(socket ? ['--socket', socket] : []), 'status', '--json'];
    const options = { cwd: os.homedir(), env: environment(), maxBuffer: 1 << 24 };
    const said = await new Promise<string>((resolve, reject) => {
      child.execFile(file, words, options, (error, stdout, stderr) => {
        const why = stderr.trim() || error?.message || '';
        return error ? reject(new Failure(`clada-client status has failed: ${why}`, 'no_daemon')) : resolve(stdout);
      });
    });
    let status: { socket?: string; version?: string };
    try {
      status = JSON.parse(said) as { socket?: string; version?: string };
    } catch {
      throw new Failure('clada-client status --json has not answered in JSON.', 'no_daemon');
    }
    const named = socket || status.socket;
    if (!named) {
      throw this.old(status.version, 'socket in status');
    }
    this.found = { socket: named, ...(status.version ? { version: status.version } : {}) };
    return this.dial(true);
  }

  /** Connects to the socket that is known; `fresh` if the daemon has just answered there. */
  private async dial(fresh: boolean): Promise<Link> {
    const named = this.host.programs().socket || this.found.socket;
    if (!named) {
      throw new Failure('No daemon is known yet.', 'no_daemon');
    }
    let link: Link;
    try {
      const socket = await new Promise<net.Socket>((resolve, reject) => {
        const made: net.Socket = net.connect(named, () => resolve(made));
        made.once('error', reject);
      });
      this.found.socket = named;
      link = this.open(socket, socket, () => socket.destroy());
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      const daemon = code === 'EPERM' || code === 'EACCES' ? await program(this.host.programs().daemon) : undefined;
      if (!daemon) {
        throw new Failure(`Nothing answers on ${named} (${code}).`, 'no_daemon', 'Start it: Clada: Restart the Daemon.');
      }
      const served = child.spawn(daemon, ['serve', '--stdio'], {
        cwd: os.homedir(), env: environment(), stdio: ['pipe', 'pipe', 'ignore'],
      });
      served.on('error', () => link.end());
      link = this.open(served.stdout, served.stdin, () => served.stdin.end());
    }
    return this.greet(link, fresh);
  }

  private open(input: Readable, output: Writable, hangUp: () => void): Link {
    const rpc = createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
    let ended = false;
    const end = () => {
      if (!ended) {
        ended = true;
        // What waits for an answer is rejected by it.
        rpc.dispose();
        hangUp();
        this.lost(link);
      }
    };
    const link: Link = { rpc, end };
    for (const stream of [input, output]) {
      stream.on('error', end);
    }
    rpc.onClose(end);
    rpc.onError(end);
    rpc.onNotification((method, params) => this.host.notified(method, params));
    rpc.listen();
    return link;
  }

  private lost(link: Link): void {
    if (this.link === link) {
      this.link = undefined;
      this.roots.forEach((_, root) => this.roots.set(root, false));
      this.host.changed();
      this.reconnect();
    }
  }

  /** Greets the daemon and checks that it can do what is needed. */
  private async greet(link: Link, fresh: boolean): Promise<Link> {
    let hello: HelloResult;
    try {
      const client = `${this.host.name} clada ${this.host.version}`;
      hello = await link.rpc.sendRequest('hello', { client, protocol: [1, 1], features: ['plain'] });
    } catch (error) {
      link.end();
      // A daemon from before headers takes the first of them for a broken message, and hangs up.
      throw fresh && failure(error).kind === 'no_daemon' ? this.old(this.found.version, 'framing.headers') : error;
    }
    const missing = FEATURES.filter((feature) => !hello.features.includes(feature));
    if (missing.length > 0) {
      link.end();
      throw this.old(hello.version, missing.join(', '));
    }
    link.hello = hello;
    this.link = link;
    this.pause = this.host.retryMs ?? 1000;
    this.roots.forEach((_, root) => this.subscribe(root));
    return link;
  }

  private old(version: string | undefined, missing: string): Failure {
    return new Failure(
      `The extension clada ${this.host.version} needs a newer daemon than ${version ?? 'this one'}: it lacks ${missing}.`,
      'not_available', 'Update clada, then: Clada: Restart the Daemon.');
  }
}
