import { array, assert, asyncProperty, boolean, constantFrom, infiniteStream, nat, record, type Stream } from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callsOnceIn } from '../../ingest/testing/calls-once-harness.ts';
import { type IngestRig, interpretDirectly, openRig, SpoolRig, written } from '../../ingest/testing/ingest-harness.ts';
import type { TestInterpret } from '../../ingest/testing/spent-rows.ts';
import { loggerTo } from '../../ingest/testing/logged-calls.ts';
import type { RequestId } from '../../model/ids.ts';
import { received, spanIdOf, type WrittenSpan } from '../../otlp/testing/spans.ts';
import { RecentParents } from '../../otlp/tree/recent-parents.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Store } from '../../store/store.ts';
import { systemClock } from '../../platform/clock.ts';
import { byLength, testSeed } from '../../../test/support/test-length.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

/** A call, and who tells of it: the gateway, the client's own span, an instrumentation's around, beside or inside that. */
interface Told {
  readonly passes: boolean;
  readonly hasOwnSpan: boolean;
  readonly instrumentation: 'none' | 'around' | 'beside' | 'inside';
  readonly namesSession: boolean;
  /** The instrumentation tells the identifier of the response; where the transport has a span, the client's own span tells it only then too. */
  readonly namesResponse: boolean;
  /** The client's transport has a span, which the call names. */
  readonly hasTransport: boolean;
  /** By whom each fact of the call is told. */
  readonly tellers: Readonly<Record<Fact, Teller>>;
}

type Teller = 'nobody' | 'own' | 'instrumentation' | 'both';

/** As attributes of a span, and as what a record has of them. */
const facts = {
  user_id: { attributes: { 'user.id': 'ann' }, told: 'ann', absent: '' },
  time_to_first_token: { attributes: { 'gen_ai.response.time_to_first_chunk': 0.25 }, told: 250, absent: null },
  prompt_id: { attributes: { 'gen_ai.prompt.name': 'greeting' }, told: 'greeting', absent: '' },
  prompt_version: { attributes: { 'gen_ai.prompt.version': '7' }, told: '7', absent: '' },
  status: { attributes: { 'http.response.status_code': 429, 'error.type': '429' }, told: 429, absent: 200 },
} as const;

type Fact = keyof typeof facts;
const factNames = Object.keys(facts) as readonly Fact[];

/** Attributes of the facts that one of the two spans tells. */
function factsOf(tellers: Told['tellers'], who: 'own' | 'instrumentation'): Readonly<Record<string, unknown>> {
  const own = factNames.filter((name) => tellers[name] === who || tellers[name] === 'both');
  return Object.assign({}, ...own.map((name) => facts[name].attributes)) as Readonly<Record<string, unknown>>;
}

function isTold({ tellers, hasOwnSpan, instrumentation }: Told, name: Fact): boolean {
  const [own, other] = [hasOwnSpan, instrumentation !== 'none'];
  return { nobody: false, own, instrumentation: other, both: own || other }[tellers[name]];
}

const maxCalls = 3;

const teller = constantFrom<Teller>('nobody', 'own', 'instrumentation', 'both');
const calls = array(
  record<Told>({
    passes: boolean(),
    hasOwnSpan: boolean(),
    instrumentation: constantFrom('none', 'around', 'beside', 'inside'),
    namesSession: boolean(),
    namesResponse: boolean(),
    hasTransport: boolean(),
    tellers: record({ user_id: teller, time_to_first_token: teller, prompt_id: teller, prompt_version: teller, status: teller }),
  }),
  { minLength: 1, maxLength: maxCalls },
);

const model = 'claude-sonnet-4-5';
const traceId = (number: number): string => `${number}`.padStart(32, 'a');
const startOf = (number: number): number => Date.UTC(2026, 10, 1) + number * 60_000;
type Place = 'step' | 'own' | 'instrumentation' | 'transport';
const spanId = (number: number, of: Place): string => spanIdOf(number * 16 + { step: 1, own: 2, instrumentation: 3, transport: 4 }[of]);

/** What comes after its call has begun says so: the gateway writes that down before it answers. */
type Happening = { readonly begins: number } | ({ readonly after?: number } & ({ readonly ends: number } | { readonly span: WrittenSpan }));

/** Counts tell whose they are: thousands by the teller, ones by the call. */
function happeningsOf(told: Told, number: number): readonly Happening[] {
  const { passes, hasOwnSpan, instrumentation, namesSession, namesResponse, hasTransport } = told;
  const start = startOf(number);
  const shared = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': model,
    'gen_ai.response.id': `msg-${number}`,
  };
  const own: WrittenSpan = {
    traceId: traceId(number),
    spanId: spanId(number, 'own'),
    parentSpanId: spanId(number, instrumentation === 'around' ? 'instrumentation' : 'step'),
    name: 'anthropic.messages.create',
    scope: 'client',
    startMs: start,
    endMs: start + 1000,
    attributes: {
      ...shared,
      ...(hasTransport && !namesResponse ? { 'gen_ai.response.id': '' } : {}),
      'gen_ai.usage.input_tokens': 2000 + number,
      'gen_ai.usage.output_tokens': 5,
      'anthropic.usage.cache_creation.ephemeral_1h_input_tokens': 0,
      ...factsOf(told.tellers, 'own'),
    },
  };
  const around = { none: 0, around: 5, beside: 1, inside: -1 }[instrumentation];
  const other: WrittenSpan = {
    traceId: traceId(number),
    spanId: spanId(number, 'instrumentation'),
    parentSpanId: spanId(number, instrumentation === 'inside' && hasOwnSpan ? 'own' : 'step'),
    name: 'Anthropic Messages',
    scope: 'instrumentation',
    startMs: start - around,
    endMs: start + 1000 + around,
    attributes: {
      ...shared,
      ...(namesResponse ? {} : { 'gen_ai.response.id': '' }),
      'gen_ai.usage.input_tokens': 3000 + number,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: `Why ${number}?` }] }]),
      ...(namesSession ? { 'session.id': `session-${number}` } : {}),
      ...factsOf(told.tellers, 'instrumentation'),
    },
  };
  const transport: WrittenSpan = {
    traceId: traceId(number),
    spanId: spanId(number, 'transport'),
    parentSpanId: spanId(number, innermost(told)),
    name: 'POST',
    scope: 'transport',
    startMs: start + 2,
    endMs: start + 995,
    attributes: { 'http.request.method': 'POST', 'url.path': '/anthropic/v1/messages' },
  };
  return [
    ...(passes ? [{ begins: number }, { after: number, ends: number }] : []),
    ...(hasOwnSpan ? [{ span: own }] : []),
    ...(instrumentation === 'none' ? [] : [{ span: other }]),
    ...(hasTransport ? [passes ? { after: number, span: transport } : { span: transport }] : []),
  ];
}

/** The span of which the client sends `traceparent`. */
function currentSpan({ hasOwnSpan, instrumentation, hasTransport }: Told): Place {
  if (hasTransport) return 'transport';
  if (hasOwnSpan) return 'own';
  return instrumentation === 'none' ? 'step' : 'instrumentation';
}

/** The span around that of the transport. */
function innermost({ hasOwnSpan, instrumentation }: Told): Place {
  if (instrumentation === 'inside') return 'instrumentation';
  if (hasOwnSpan) return 'own';
  return instrumentation === 'none' ? 'step' : 'instrumentation';
}

interface Stored extends Readonly<Record<Fact, number | string | null>> {
  readonly id: string;
  readonly prompt_tokens: number | string;
  readonly session_id: string;
}

type WritingStore = Pick<Store, 'findTold' | 'hasSpans' | 'hasTracedCalls' | 'insert' | 'changeStored' | 'joinRecords' | 'spanTexts'>;

/** The time of the calls. */
const clock = { ...systemClock, now: () => startOf(maxCalls) };

/** A store that is away from one of its writes on. @param isWritten that write took place. */
function dyingStore(store: Store, at: number, isWritten: boolean): WritingStore {
  let writes = 0;
  const dying = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    const number = writes;
    writes += 1;
    const result = number < at || (number === at && isWritten) ? await write() : undefined;
    if (number >= at) throw new GatelogError('store_unavailable', 'away');
    return result as Result;
  };
  const { joinRecords } = store;
  return {
    ...store,
    insert: (...args) => dying(() => store.insert(...args)),
    changeStored: (...args) => dying(() => store.changeStored(...args)),
    joinRecords: {
      moveNumbers: (...args) => dying(() => joinRecords.moveNumbers(...args)),
      fillDetails: (...args) => dying(() => joinRecords.fillDetails(...args)),
      moveChanges: (...args) => dying(() => joinRecords.moveChanges(...args)),
      remove: (...args) => dying(() => joinRecords.remove(...args)),
    },
  };
}

const msOfDying = 300;

/** Interpretation that comes through so many of a batch. */
function theFirst(most: number): TestInterpret {
  return (tasks, storedAt) => interpretDirectly(tasks.slice(0, most), storedAt);
}

class Scene {
  readonly spool = new SpoolRig(rig);
  readonly passed = new Map<number, RequestId>();
  private readonly gateway = this.spool.openWriter();
  private readonly receiver = this.spool.openWriter();
  private readonly streams = new Map<number, number>();

  async begin(number: number, told: Told): Promise<void> {
    const openedAt = startOf(number) + 5;
    const trace = { traceId: traceId(number), spanId: spanId(number, currentSpan(told)) };
    const stream = this.gateway.newStream();
    this.streams.set(number, stream);
    const open = { openedAt, provider: 'anthropic', path: '/anthropic/v1/messages', model, trace };
    this.passed.set(number, this.spool.writeOpen(this.gateway, stream, open));
    await written(this.gateway);
  }

  async end(number: number): Promise<void> {
    const usage = { input_tokens: 1000 + number, output_tokens: 5 };
    const message = { id: `msg-${number}`, type: 'message', role: 'assistant', model, content: [{ type: 'text', text: 'So.' }], usage };
    this.spool.writeRest(this.gateway, this.streams.get(number) ?? 0, {
      request: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'Why?' }] }),
      response: JSON.stringify(message),
      end: { elapsedMs: 900 },
    });
    await written(this.gateway);
  }

  async export(spans: readonly WrittenSpan[], parents: RecentParents): Promise<void> {
    if (spans.length === 0) return;
    await loggerTo(this.receiver)(this.spool.principal, received(spans, { parents }).calls);
  }

  /** A life of the ingest, at the time of the calls, that stores all. @param most exchanges that are interpreted at once. */
  async live(most: number): Promise<void> {
    await this.spool.drainAll({ interpret: theFirst(most), callsOnce: callsOnceIn(rig.store, { clock }) });
  }

  /** A life that dies at one of its writes. */
  async die(at: number, isWritten: boolean, most: number): Promise<void> {
    const store = dyingStore(rig.store, at, isWritten);
    const drain = await this.spool.openDrain({
      interpret: theFirst(most),
      insert: store.insert,
      callsOnce: callsOnceIn(store, { clock }),
    });
    drain.start();
    await drain.stop(msOfDying);
  }

  /** What spans filled and counted, in the history of one request more than once. */
  entriesWrittenTwice(): Promise<readonly unknown[]> {
    return this.spool.read(
      `SELECT name, old, new FROM changes WHERE org_id = {tenant:UInt128} AND kind IN ('fields', 'usage', 'cost')
       GROUP BY request_id, kind, name, old, new, key_id HAVING count() > 1`,
    );
  }

  stored(): Promise<readonly Stored[]> {
    return this.spool.read<Stored>(
      `SELECT id_text AS id, prompt_tokens, session_id, ${factNames.join(', ')} FROM requests WHERE org_id = {tenant:UInt128} ORDER BY created_at`,
    );
  }
}

/** Lets all happen in some order, in exports of some sizes, with lives of the ingest in between. */
async function happen(scene: Scene, told: readonly Told[], dice: Stream<number>): Promise<void> {
  const draw = (below: number): number => (dice.next().value ?? 0) % below;
  const left = told.flatMap(happeningsOf);
  let waiting: WrittenSpan[] = [];
  let parents = new RecentParents();
  while (left.length > 0) {
    const possible = left.filter((each) => !('after' in each) || each.after === undefined || scene.passed.has(each.after));
    const next = possible[draw(possible.length)];
    if (next === undefined) break;
    left.splice(left.indexOf(next), 1);
    if ('span' in next) waiting.push(next.span);
    else if ('begins' in next) await scene.begin(next.begins, told[next.begins] as Told);
    else await scene.end(next.ends);
    if (draw(2) === 0) {
      await scene.export(waiting, parents);
      waiting = [];
    }
    const end = draw(9);
    if (end < 3) await scene.live(1 + draw(6));
    else if (end < 5) await scene.die(draw(8), draw(2) === 0, 1 + draw(6));
    // A worker of its own, or a new life of one.
    if (draw(3) === 0) parents = new RecentParents();
  }
  await scene.export(waiting, parents);
  await scene.live(1 + draw(6));
}

/** Of a call that did not pass the gateway. */
function expectedFacts(told: Told): Readonly<Partial<Record<Fact, number | string | null>>> {
  if (told.passes) return {};
  return Object.fromEntries(factNames.map((name) => [name, isTold(told, name) ? facts[name].told : facts[name].absent]));
}

function firstTokenOf({ time_to_first_token: ms }: Pick<Stored, 'time_to_first_token'>): Pick<Stored, 'time_to_first_token'> {
  return { time_to_first_token: ms === null ? null : Number(ms) };
}

it('each call is one request, in any order, in any exports, and over deaths of the ingest', { timeout: 600_000 }, async () => {
  await assert(
    asyncProperty(calls, infiniteStream(nat()), async (told, dice) => {
      const scene = new Scene();
      await happen(scene, told, dice);
      const expected = told.flatMap((call, number) => {
        const { passes, hasOwnSpan, instrumentation, namesSession } = call;
        if (!passes && !hasOwnSpan && instrumentation === 'none') return [];
        const counts = passes ? 1000 : hasOwnSpan ? 2000 : 3000;
        const hasSpan = hasOwnSpan || instrumentation !== 'none';
        const session = !hasSpan ? '' : instrumentation !== 'none' && namesSession ? `session-${number}` : traceId(number);
        return [{ tokens: counts + number, session, id: passes ? scene.passed.get(number) : undefined, ...expectedFacts(call) }];
      });
      const stored = await scene.stored();
      const found = stored.map(({ id, prompt_tokens: tokens, session_id: session, ...row }, index) => ({
        tokens: Number(tokens),
        session,
        id: expected[index]?.id === undefined ? undefined : id,
        // What the gateway recorded itself is its own.
        ...(expected[index]?.id === undefined ? { ...row, ...firstTokenOf(row) } : {}),
      }));
      expect(found).toEqual(expected);
      const { requests, bodies } = await scene.spool.storedIds();
      expect(bodies).toEqual(requests);
      expect(await scene.entriesWrittenTwice()).toEqual([]);
    }),
    { numRuns: byLength(3, 15), seed: testSeed() },
  );
});
