/**
 * The attacking organisation of `fairness-gateway.ts`, started by `fork` with a low priority. It receives an {@link Attack}, sends `made`
 * when its body is ready, starts at the next message, and then sends a tally of its responses. Ends with its parent.
 */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdHeader, sendCall, tally } from './fairness-call.ts';
import { setOwnPriority } from './own-priority.ts';
import { slowCalls } from './slow-bodies.ts';

export interface Attack {
  readonly port: number;
  readonly key: string;
  /** Index in {@link slowCalls}; undefined: streams that stay open. */
  readonly slowCall: number | undefined;
  /** Number of concurrent calls. */
  readonly times: number;
}

const niceness = 10;
const streamBody = Buffer.from('{"model":"gpt-4o","stream":true,"messages":[]}');
/** Streams without a connection are not waited for; only the latency of the other organisation counts. */
const holdMs = 5000;

setOwnPriority(niceness);
const agent = new Agent({ keepAlive: false });

async function attack(make: Attack): Promise<void> {
  const started = new Promise((resolve) => {
    process.once('message', resolve);
  });
  const { headers, body } = bodyOf(make);
  process.send?.('made');
  await started;
  const calls = Array.from({ length: make.times }, () => sendCall({ ...make, headers, body, agent }));
  const outcomes: string[] = [];
  for (const call of calls) void call.then((outcome) => outcomes.push(outcome));
  await (make.slowCall === undefined ? sleep(holdMs) : Promise.all(calls));
  process.send?.(tally([...outcomes, ...Array.from({ length: make.times - outcomes.length }, () => 'waiting')]));
  listen();
}

function bodyOf({ slowCall }: Attack): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  if (slowCall === undefined) return { headers: { [holdHeader]: '1' }, body: streamBody };
  const call = slowCalls[slowCall];
  if (call === undefined) throw new RangeError(`there are ${slowCalls.length} slow calls`);
  return { headers: call.headers, body: call.body() };
}

function listen(): void {
  process.once('message', (message) => void attack(message as Attack));
}

listen();
process.on('disconnect', () => process.exit(0));
