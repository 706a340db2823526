import type { GatelogError } from '../model/errors.ts';
import { isEventStream } from '../model/media-type.ts';
import { isJsonObject, parseJson } from '../model/text.ts';
import type { Clock } from '../platform/clock.ts';
import { decodeWhole, isIdentity } from './content-coding.ts';
import type { RawHeaders } from './headers.ts';
import type { Turn } from './reply-cache.ts';
import { readReplyHead } from './reply-head.ts';
import type { ProviderCall, ReplySink } from './reply-sink.ts';

export interface KeeperOptions {
  /** Where the reply goes on to. */
  readonly next: ReplySink;
  readonly turn: Turn;
  /** The exchange that the reply answers. */
  readonly requestId: string;
  readonly userId: () => string;
  readonly maxAgeMs: number;
  /** A larger reply is not kept, encoded or decoded. */
  readonly mostReplyBytes: number;
  readonly clock: Clock;
}

interface KeptHead {
  readonly status: number;
  readonly lines: readonly string[];
  readonly coding: string | undefined;
  readonly contentType: string;
}

/** Lines that are true of one delivery only, and not of the same reply given to another caller at another time. */
const perDelivery: ReadonlySet<string> = new Set([
  'age',
  'content-digest',
  'content-encoding',
  'content-length',
  'content-md5',
  'date',
  'digest',
  'retry-after',
  'set-cookie',
]);
const perDeliveryPrefixes = ['x-ratelimit-', 'anthropic-ratelimit-'] as const;

/**
 * Passes a reply on and keeps it, when it is whole and a success. Everything else ends the turn without a reply, and the next one may try.
 * A caller that leaves ends the call to the provider, unless others wait for its reply.
 */
export class CacheKeeper implements ReplySink {
  private readonly options: KeeperOptions;
  private readonly startedAt: number;
  private call: ProviderCall | undefined;
  private isPaused = false;
  /** The caller has left; the call goes on for others. */
  private leftBehind: Error | undefined;
  private head: KeptHead | undefined;
  private chunks: Buffer[] = [];
  private bytes = 0;
  private gaveUp = false;

  constructor(options: KeeperOptions) {
    this.options = options;
    this.startedAt = options.clock.monotonic();
  }

  begin(call: ProviderCall): void {
    this.call = call;
    this.options.next.begin({
      pause: () => {
        this.isPaused = true;
        call.pause();
      },
      resume: () => {
        this.isPaused = false;
        call.resume();
      },
      abort: (reason) => this.abort(call, reason),
    });
  }

  start(status: number, raw: RawHeaders, message: string): void {
    this.options.next.start(status, raw, message);
    if (status < 200) return;
    if (status > 299) {
      this.giveUp();
      return;
    }
    const { passed, recorded } = readReplyHead(raw);
    const coding = recorded['content-encoding'];
    this.head = { status, lines: linesToKeep(passed), coding, contentType: recorded['content-type'] ?? '' };
  }

  data(chunk: Buffer): void {
    this.options.next.data(chunk);
    if (this.gaveUp) return;
    this.bytes += chunk.length;
    if (this.bytes > this.options.mostReplyBytes) this.giveUp();
    else this.chunks.push(chunk);
  }

  sendHeadEarly(): void {
    this.options.next.sendHeadEarly();
  }

  finish(): void {
    this.options.next.finish();
    const { head } = this;
    if (head === undefined || this.gaveUp) {
      this.giveUp();
      return;
    }
    const latencyMs = Math.round(this.options.clock.monotonic() - this.startedAt);
    const body = Buffer.concat(this.chunks);
    if (head.coding === undefined || isIdentity(head.coding) || body.length === 0) {
      this.keep(head, body, latencyMs);
      return;
    }
    decodeWhole(body, head.coding, this.options.mostReplyBytes).then(
      (decoded) => (decoded === undefined ? this.giveUp() : this.keep(head, decoded, latencyMs)),
      () => this.giveUp(),
    );
  }

  fail(error: GatelogError): void {
    this.options.next.fail(error);
    this.giveUp();
  }

  private keep(head: KeptHead, body: Buffer, latencyMs: number): void {
    const { turn, requestId, userId, maxAgeMs, clock } = this.options;
    if (tellsError(body, head.contentType)) {
      turn.giveUp();
      return;
    }
    const createdAt = clock.now();
    const { status, lines } = head;
    turn.keep({ requestId, userId: userId(), status, headers: lines, body, createdAt, expiresAt: createdAt + maxAgeMs, latencyMs });
  }

  private abort(call: ProviderCall, reason: Error): void {
    if (this.gaveUp || !this.options.turn.isAwaited()) {
      // At once: what is aborted need not tell that it has ended.
      this.giveUp();
      call.abort(reason);
      return;
    }
    this.leftBehind = reason;
    // The slow reader that it waited for is gone.
    if (this.isPaused) call.resume();
  }

  private giveUp(): void {
    if (this.gaveUp) return;
    this.gaveUp = true;
    this.chunks = [];
    this.options.turn.giveUp();
    if (this.leftBehind !== undefined) this.call?.abort(this.leftBehind);
  }
}

function linesToKeep(lines: RawHeaders): readonly string[] {
  return lines.filter((_, index) => {
    const name = lines[index - (index % 2)]?.toLowerCase() ?? '';
    return !perDelivery.has(name) && !perDeliveryPrefixes.some((prefix) => name.startsWith(prefix));
  });
}

const errorEvent = /^(?:event: ?(?:error|response\.failed)\b|data: ?\{\s*"(?:error"\s*:|type"\s*:\s*"(?:error|response\.failed)"))/m;

/** Some providers answer 200 and tell of their failure in the body: an `error` that is not null, or an event of that name. */
function tellsError(body: Buffer, contentType: string): boolean {
  if (!body.includes('error') && !body.includes('response.failed')) return false;
  const text = body.toString('utf8');
  if (isEventStream(contentType)) return errorEvent.test(text);
  const parsed = parseJson(text);
  return isJsonObject(parsed) && parsed['error'] !== undefined && parsed['error'] !== null;
}
