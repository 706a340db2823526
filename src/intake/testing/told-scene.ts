import { SpendCounters } from '../../ingest/spend-counters.ts';
import { callsOnceIn } from '../../ingest/testing/calls-once-harness.ts';
import { type IngestRig, SpoolRig, written } from '../../ingest/testing/ingest-harness.ts';
import { loggerTo } from '../../ingest/testing/logged-calls.ts';
import type { RequestId } from '../../model/ids.ts';
import type { ExchangeOpen } from '../../model/record/exchange.ts';
import type { ReceivedTrace } from '../../otlp/tree/position.ts';
import { JoinedCalls } from '../spans/joined-calls.ts';
import { received, spanIdOf, traceId, type WrittenSpan } from '../../otlp/testing/spans.ts';

export const startMs = Date.UTC(2026, 10, 1);
export const spanId = spanIdOf(1);
export const model = 'gpt-4o';

/** That of the call, as its client makes it. */
export const modelSpan = (given: Partial<WrittenSpan> = {}): WrittenSpan => ({
  traceId,
  spanId,
  name: 'chat',
  startMs,
  endMs: startMs + 1000,
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'openai',
    'gen_ai.request.model': model,
    'gen_ai.usage.input_tokens': 900,
    'gen_ai.usage.output_tokens': 100,
    'session.id': 'theirs',
    'user.id': 'theirs',
  },
  ...given,
});

/** Of an instrumented transport, whose identifier the call names. */
export const transport = (given: Partial<WrittenSpan> = {}): WrittenSpan => ({
  traceId,
  spanId,
  parentSpanId: spanIdOf(2),
  name: 'POST',
  startMs: startMs + 2,
  endMs: startMs + 990,
  attributes: { 'http.request.method': 'POST', 'url.full': 'http://127.0.0.1:8787/v1/chat/completions' },
  ...given,
});

/** Around that of the transport. It names no response. */
export const outside = (given: Partial<WrittenSpan> = {}): WrittenSpan =>
  modelSpan({ spanId: spanIdOf(2), parentSpanId: spanIdOf(9), ...given });

type OnceStore = Parameters<typeof callsOnceIn>[0];

/** Calls and spans of an organisation of their own, over a rig's store. */
export class ToldScene {
  readonly spool: SpoolRig;
  readonly counters = new SpendCounters();
  readonly joined = new JoinedCalls();
  private readonly rig: IngestRig;
  private readonly gateway: ReturnType<SpoolRig['openWriter']>;
  private readonly writer: ReturnType<SpoolRig['openWriter']>;
  private stream = 0;

  constructor(rig: IngestRig) {
    this.rig = rig;
    this.spool = new SpoolRig(rig);
    this.gateway = this.spool.openWriter();
    this.writer = this.spool.openWriter();
  }

  async call(given: Partial<ExchangeOpen> = {}, responseId?: string): Promise<RequestId> {
    const requestId = await this.begin(spanId, given);
    await this.end(responseId);
    return requestId;
  }

  async begin(id = spanId, given: Partial<ExchangeOpen> = {}): Promise<RequestId> {
    this.stream = this.gateway.newStream();
    const trace = { traceId, spanId: id };
    const open = { openedAt: startMs + 5, provider: 'openai', path: '/v1/chat/completions', model, trace, ...given };
    const requestId = this.spool.writeOpen(this.gateway, this.stream, open);
    await written(this.gateway);
    return requestId;
  }

  async end(responseId = 'chatcmpl-1'): Promise<void> {
    const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
    this.spool.writeRest(this.gateway, this.stream, {
      request: JSON.stringify({ model, messages: [{ role: 'user', content: 'Why?' }] }),
      response: JSON.stringify({ id: responseId, model, choices: [{ index: 0, message: { role: 'assistant', content: 'So.' } }], usage }),
      end: { elapsedMs: 900 },
    });
    await written(this.gateway);
  }

  /** @returns what of their traces is remembered. */
  async spans(spans: readonly WrittenSpan[], keyId?: string): Promise<readonly ReceivedTrace[]> {
    const { principal } = this.spool;
    const { calls, traces } = received(spans);
    await loggerTo(this.writer)(keyId === undefined ? principal : { ...principal, keyId }, calls);
    return traces;
  }

  async live(store: OnceStore = this.rig.store): Promise<void> {
    await this.spool.drainAll({
      callsOnce: callsOnceIn(store, {
        clock: { now: () => startMs, monotonic: () => performance.now() },
        onJoined: (...names) => this.joined.note(...names),
      }),
      spendCounters: this.counters,
    });
  }

  rows(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.spool.read(
      'SELECT id_text AS id, status, user_id, session_id, session_path, properties, toString(cost) AS cost, prompt_tokens, span_links FROM requests WHERE org_id = {tenant:UInt128} ORDER BY request_id',
    );
  }

  /** Sums of all models. */
  counted(): { readonly requests: number; readonly cost: string; readonly tokens: number } {
    const sum = (family: string): number =>
      [...this.counters.page().matchAll(new RegExp(`^${family}\\{.*\\} (\\S+)$`, 'gm'))].reduce((all, [, value]) => all + Number(value), 0);
    return {
      requests: sum('gatelog_recorded_requests_total'),
      cost: sum('gatelog_cost_usd_total').toFixed(6),
      tokens: sum('gatelog_tokens_total'),
    };
  }
}
