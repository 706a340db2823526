import { Agent, type ClientRequest, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Answered, AttackRequest, Target } from './surface.ts';

const keptBytes = 2048;
const timeoutMs = 60_000;

export interface Counted {
  readonly target: Target;
  /** Answers by status, with the code of an error. */
  readonly counts: ReadonlyMap<string, number>;
  readonly close: () => void;
}

/** The service for an attacker, with a count of what it answers. */
export function countedTarget(given: Omit<Target, 'send'>): Counted {
  const agent = new Agent({ keepAlive: true });
  const counts = new Map<string, number>();
  const send = async (asked: AttackRequest): Promise<Answered> => {
    const answered = await exchange(agent, given, asked);
    const cut = answered.status === 0 && given.signal.aborted ? 'cut at the end' : undefined;
    const name = cut ?? nameOf(answered);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return answered;
  };
  return { target: { ...given, send }, counts, close: () => agent.destroy() };
}

function nameOf({ status, text }: Answered): string {
  if (status === 0) return text;
  const code = status < 400 ? undefined : /"code":"(\w+)"/.exec(text)?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

function exchange(agent: Agent, { key, signal }: Omit<Target, 'send'>, asked: AttackRequest): Promise<Answered> {
  const { method = 'GET', url, headers, keep = keptBytes, readEveryMs } = asked;
  return new Promise((resolve) => {
    const fail = (error: Error & { readonly code?: string }): void => resolve({ status: 0, text: error.code ?? error.message });
    const sent = request(url, {
      agent,
      method,
      timeout: timeoutMs,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(asked.isClearing === true ? {} : { signal }),
    });
    sent.on('error', fail);
    sent.once('socket', forgive);
    sent.once('timeout', () => sent.destroy(new Error('no answer in a minute')));
    sent.once('response', (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        if (bytes < keep) chunks.push(chunk);
        bytes += chunk.length;
        if (readEveryMs === undefined) return;
        answer.pause();
        setTimeout(() => answer.resume(), readEveryMs);
      });
      answer.on('error', fail);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8', 0, keep) }));
    });
    write(sent, asked);
  });
}

/** TRICKY: the service answers before it has read a body, and closes. The rest of the body then fails on a socket that has left its request. */
function forgive(socket: Socket): void {
  if (socket.listenerCount('error', ignore) === 0) socket.on('error', ignore);
}

function ignore(): void {
  // The request hears of it, if it still waits.
}

function write(sent: ClientRequest, { body = '', holdMs }: AttackRequest): void {
  if (holdMs === undefined) return void sent.end(body);
  const bytes = Buffer.from(body);
  sent.setHeader('content-length', bytes.length);
  sent.write(bytes.subarray(0, -1));
  const timer = setTimeout(() => sent.end(bytes.subarray(-1)), holdMs);
  sent.once('close', () => clearTimeout(timer));
}
