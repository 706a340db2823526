import { request } from 'node:http';
import { operatorSocket } from '../../config/data-paths.ts';
import type { Observe } from '../../model/observation.ts';
import { shareOf } from '../../platform/organization-shares.ts';
import { socketPath } from '../../platform/http/unix-socket.ts';
import type { Principal } from '../../model/principal.ts';
import type { ReceivedTrace } from '../../otlp/tree/position.ts';

/** What one request of an organisation told, as text. */
interface Noted {
  readonly organizationId: string;
  readonly text: string;
}

interface NotedTraces {
  readonly owner: Principal;
  readonly traces: readonly ReceivedTrace[];
}

/**
 * Characters that wait for the core, which is away, and the share of one organisation in them. More are dropped: what they would correct
 * stays as it is.
 */
const maxWaiting = 8 * 1024 * 1024;
const sharePercent = 90;
/** Characters of one message, which the core reads in one turn of its event loop; one span may have more. */
const maxSent = 64 * 1024;
/** Nodes, and requests, of a part of a trace. */
const maxInPart = 64;
const intervalMs = 500;
const timeoutMs = 5000;

/** Tells the core, over its socket, of the spans that a gateway worker has taken: twice a second, in messages that are short to read. */
export class TraceSender {
  private readonly dataDir: string;
  private readonly observe: Observe;
  private readonly waiting: Noted[] = [];
  private readonly charactersOf = new Map<string, number>();
  private waitingCharacters = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(dataDir: string, observe: Observe) {
    this.dataDir = dataDir;
    this.observe = observe;
  }

  note(owner: Principal, traces: readonly ReceivedTrace[]): void {
    for (const trace of traces) for (const part of partsOf(trace, maxInPart)) this.addPart(owner, part);
    this.schedule();
  }

  private addPart(owner: Principal, part: ReceivedTrace): void {
    const text = JSON.stringify({ owner, traces: [part] } satisfies NotedTraces);
    const count = Math.max(part.nodes.length, part.requests.length);
    if (text.length > maxSent && count > 1) {
      for (const half of partsOf(part, Math.ceil(count / 2))) this.addPart(owner, half);
      return;
    }
    const own = this.charactersOf.get(owner.organizationId) ?? 0;
    if (own + text.length > shareOf(maxWaiting, this.waitingCharacters - own, sharePercent)) {
      this.dropped += part.requests.length;
    } else {
      this.waiting.push({ organizationId: owner.organizationId, text });
      this.count(owner.organizationId, text.length);
    }
  }

  private count(organizationId: string, characters: number): void {
    const own = (this.charactersOf.get(organizationId) ?? 0) + characters;
    this.waitingCharacters += characters;
    if (own > 0) this.charactersOf.set(organizationId, own);
    else this.charactersOf.delete(organizationId);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.isClosed || this.waiting.length === 0) return;
    this.timer ??= setTimeout(() => void this.send(), intervalMs).unref();
  }

  private async send(): Promise<void> {
    if (this.dropped > 0) this.observe({ kind: 'span_places_dropped', requests: this.dropped, reason: 'the core does not take them' });
    this.dropped = 0;
    let isTaken = true;
    for (let left = this.waiting.length; left > 0 && isTaken && !this.isClosed;) {
      const group = this.firstOfWaiting();
      isTaken = await post(this.dataDir, `{"noted":[${group.map(({ text }) => text).join(',')}]}`);
      if (isTaken) for (const { organizationId, text } of this.waiting.splice(0, group.length)) this.count(organizationId, -text.length);
      left -= group.length;
    }
    this.timer = undefined;
    this.schedule();
  }

  /** What fits into one message, at least one. */
  private firstOfWaiting(): readonly Noted[] {
    const group: Noted[] = [];
    let characters = 0;
    for (const noted of this.waiting) {
      if (characters > 0 && characters + noted.text.length > maxSent) break;
      group.push(noted);
      characters += noted.text.length;
    }
    return group;
  }
}

/** A trace in parts of few spans. The core joins what comes of one trace, in any order. */
function* partsOf({ traceId, nodes, requests }: ReceivedTrace, size: number): Generator<ReceivedTrace> {
  for (let at = 0; at < Math.max(nodes.length, requests.length); at += size) {
    yield { traceId, nodes: nodes.slice(at, at + size), requests: requests.slice(at, at + size) };
  }
}

/** @returns whether it need not be sent again. */
function post(dataDir: string, body: string): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const short = socketPath(operatorSocket(dataDir));
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(
        { socketPath: short.path, method: 'POST', path: '/spans', headers, agent: false, timeout: timeoutMs },
        (response) => {
          response.resume();
          resolve((response.statusCode ?? 0) < 500);
        },
      );
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => resolve(false));
      sent.on('close', () => short.close());
      sent.end(body);
    } catch {
      resolve(false);
    }
  });
}
