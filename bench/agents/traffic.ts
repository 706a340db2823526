import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeRandom } from '../query/records.ts';
import { prose } from '../storage/traffic/text.ts';

/**
 * Coding agents in a process of their own: each conversation sends itself again with each turn, 200 KB at first, a tenth more each time, and is
 * followed by another once it has 1 MB. Beside them small calls at a steady rate, in turn to the gateway and to the provider itself.
 */

/** What the parent sends, once. */
export interface TrafficJob {
  readonly gatewayPort: number;
  readonly providerPort: number;
  readonly headers: Readonly<Record<string, string>>;
  /** At a time; 0: small calls alone. */
  readonly conversations: number;
  readonly seconds: number;
}

export interface TrafficResult {
  readonly turns: number;
  /** Of the bodies that were sent. */
  readonly bytes: number;
  readonly failures: readonly string[];
  readonly smallCalls: number;
  /** Milliseconds. */
  readonly small: { readonly gateway: readonly number[]; readonly direct: readonly number[] };
}

const firstBytes = 200_000;
const lastBytes = 1_000_000;
const growth = 0.1;
const smallEveryMs = 50;
const path = '/v1/chat/completions';
const smallBody = Buffer.from('{"model":"gpt-5-mini","messages":[{"role":"user","content":"How are you?"}]}');

const draw = makeRandom(5);
/** What a turn may say: made once, so that this process takes little of the processor. */
const sayings = Array.from({ length: 24 }, () => JSON.stringify(prose(draw, 30_000, 0.4)));
const tools = `],"tools":[${JSON.stringify({ type: 'function', function: { name: 'read_file', description: prose(draw, 8000, 0.1) } })}]}`;
let begun = 0;

/** The bodies of a conversation's turns. */
function* turnsOf(session: string): Generator<Buffer, void> {
  let said = `{"model":"gpt-5-mini","messages":[{"role":"system","content":"Session ${session}."}`;
  let turn = 0;
  while (said.length < lastBytes) {
    const wanted = Math.max(firstBytes, said.length * (1 + growth));
    while (said.length < wanted) {
      turn += 1;
      const role = turn % 2 === 0 ? 'assistant' : 'user';
      const words = sayings[Math.floor(draw() * sayings.length)] ?? '""';
      said += `,{"role":"${role}","content":"turn ${turn} of ${session}: ${words.slice(1, Math.max(2, Math.min(words.length - 1, wanted - said.length)))}"}`;
    }
    yield Buffer.from(said + tools);
  }
}

interface Sent {
  readonly status: number;
  readonly recorded: string;
}

function send(agent: Agent, port: number, headers: TrafficJob['headers'], body: Buffer): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
      },
      (response: IncomingMessage) => {
        response.resume();
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, recorded: String(response.headers['svc-recorded'] ?? 'true') }),
        );
        response.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

async function run({ gatewayPort, providerPort, headers, conversations, seconds }: TrafficJob): Promise<TrafficResult> {
  const agent = new Agent({ keepAlive: true });
  const endAt = performance.now() + seconds * 1000;
  const failures: string[] = [];
  let [turns, bytes, smallCalls] = [0, 0, 0];
  const small = { gateway: [] as number[], direct: [] as number[] };
  const converse = async (): Promise<void> => {
    while (performance.now() < endAt) {
      begun += 1;
      const session = `agents-${begun}`;
      for (const body of turnsOf(session)) {
        if (performance.now() >= endAt) return;
        const { status, recorded } = await send(agent, gatewayPort, { ...headers, 'Svc-Session-Id': session }, body);
        if (status !== 200 || recorded !== 'true') failures.push(`${status}, recorded ${recorded}`);
        turns += 1;
        bytes += body.length;
      }
    }
  };
  const ask = async (): Promise<void> => {
    for (let number = 0; performance.now() < endAt; number += 1) {
      const isDirect = number % 2 === 1;
      const startedAt = performance.now();
      await send(agent, isDirect ? providerPort : gatewayPort, headers, smallBody);
      small[isDirect ? 'direct' : 'gateway'].push(performance.now() - startedAt);
      smallCalls += isDirect ? 0 : 1;
      await sleep(smallEveryMs);
    }
  };
  await Promise.all([ask(), ...Array.from({ length: conversations }, converse)]);
  agent.destroy();
  return { turns, bytes, failures, smallCalls, small };
}

process.once('message', (job: TrafficJob) => {
  void run(job).then((result) => process.send?.(result));
});
