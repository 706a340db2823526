import { request } from 'node:http';
import { operatorSocket } from '../../operator/socket.ts';
import { socketPath } from '../../platform/http/unix-socket.ts';
import type { Principal } from '../../model/principal.ts';
import type { ReceivedTrace } from '../../otlp/tree/place.ts';

interface NotedTraces {
  readonly owner: Principal;
  readonly traces: readonly ReceivedTrace[];
}

/** Characters that wait for the core, which is away. More are dropped: what they would correct stays as it is. */
const maxWaiting = 8 * 1024 * 1024;
const maxSent = 1024 * 1024;
const intervalMs = 500;
const timeoutMs = 5000;

/** Tells the core, over its socket, of the spans that a gateway worker has taken; together and at most twice a second. */
export class TraceSender {
  private readonly dataDir: string;
  private readonly waiting: string[] = [];
  private waitingCharacters = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  note(owner: Principal, traces: readonly ReceivedTrace[]): void {
    const text = JSON.stringify({ owner, traces } satisfies NotedTraces);
    if (traces.length === 0 || this.waitingCharacters + text.length > maxWaiting) return;
    this.waiting.push(text);
    this.waitingCharacters += text.length;
    this.schedule();
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
    const group: string[] = [];
    let characters = 0;
    while (this.waiting.length > 0 && (characters === 0 || characters + (this.waiting[0]?.length ?? 0) <= maxSent)) {
      const text = this.waiting.shift() ?? '';
      group.push(text);
      characters += text.length;
    }
    const isTaken = await post(this.dataDir, `{"noted":[${group.join(',')}]}`);
    this.timer = undefined;
    if (isTaken) this.waitingCharacters -= characters;
    else this.waiting.unshift(...group);
    this.schedule();
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
