import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { identify, readCall, received, spanIdOf, traceId, type WrittenSpan } from '../testing/spans.ts';
import { LateSpans } from './late-spans.ts';
import { RecentParents } from './recent-parents.ts';

const model = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' };

function span(id: number, parent: number, name: string, attributes: Readonly<Record<string, unknown>> = {}): WrittenSpan {
  return { spanId: spanIdOf(id), ...(parent === 0 ? {} : { parentSpanId: spanIdOf(parent) }), name, kind: 1, attributes };
}

const root = span(1, 0, 'POST /chat', { 'http.request.method': 'POST' });
const agent = span(2, 1, 'invoke_agent Weather', { 'gen_ai.operation.name': 'invoke_agent' });
const step = span(3, 2, 'plan a/b');
const chat = span(4, 3, 'chat gpt-4o', model);
const tool = span(5, 2, 'execute_tool get_weather', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'get_weather' });

function placesOf(spans: readonly WrittenSpan[]): unknown {
  return received(spans).calls.map(({ tags }) => [tags.sessionId, tags.sessionPath]);
}

describe('spans that come together', () => {
  it('have a path from their ancestors, without those of transports; the trace is the session', () => {
    expect(placesOf([chat, tool, step, agent, root])).toEqual([
      [traceId, '/invoke_agent Weather/plan a_b/chat gpt-4o'],
      [traceId, '/invoke_agent Weather/execute_tool get_weather'],
    ]);
  });

  it('belong to the session that the nearest ancestor names, else any span of the trace', () => {
    const named = { ...agent, attributes: { ...agent.attributes, 'session.id': 'of the agent', 'user.id': 'ada' } };
    expect(placesOf([chat, step, named, { ...root, attributes: { 'session.id': 'of the root' } }])).toMatchObject([
      ['of the agent', expect.anything()],
    ]);
    expect(placesOf([chat, span(9, 0, 'beside', { 'session.id': 'of another' })])).toEqual([['of another', '/chat gpt-4o']]);
    expect(received([chat, step, named]).calls[0]?.tags.userId).toBe('ada');
  });

  it('that form a ring end where it closes', () => {
    expect(placesOf([span(1, 2, 'one', model), span(2, 1, 'two')])).toEqual([[traceId, '/two/one']]);
  });

  it('beyond the levels of a path lose the outermost', () => {
    const line = Array.from({ length: 100 }, (_, index) => span(index + 1, index + 2, `level ${index + 1} ${'x'.repeat(120)}`));
    const [call] = received([{ ...line[0], attributes: model }, ...line.slice(1)]).calls;
    expect(call?.tags.sessionPath?.split('/').at(-1)).toMatch(/^level 1 x/);
    expect(Buffer.byteLength(call?.tags.sessionPath ?? '')).toBeLessThanOrEqual(8192);
  });
});

function names(spans: readonly WrittenSpan[], parents = new RecentParents()): unknown {
  return received(spans, { parents }).calls.map(({ tags }) => tags.nodeId);
}

it('headers of the request stand in for what no span tells', () => {
  const defaults = {
    sessionId: 'of the header',
    userId: 'ada',
    requestBody: 'counted' as const,
    properties: [
      { name: 'Team', value: 'search' },
      { name: 'app', value: 'of the header' },
    ],
  };
  const tagsOf = (attributes: Readonly<Record<string, unknown>>): unknown =>
    received([span(1, 0, 'chat', { ...model, ...attributes })], { defaults }).calls[0]?.tags;
  expect(tagsOf({ app: 'own' })).toMatchObject({
    sessionId: 'of the header',
    userId: 'ada',
    requestBody: 'counted',
    properties: [
      { name: 'app', value: 'own' },
      { name: 'Team', value: 'search' },
    ],
  });
  expect(tagsOf({ 'session.id': 's1', 'user.id': 'bob' })).toMatchObject({ sessionId: 's1', userId: 'bob' });
});

describe('a call that two instrumentations tell of', () => {
  const outer = span(1, 0, 'ChatOpenAI.chat', { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' });
  const inner = span(2, 1, 'chat gpt-4o', { ...model, 'gen_ai.response.model': 'gpt-4o-2024-08-06' });

  it('is the inner one, whichever comes first', () => {
    expect(names([outer, inner])).toEqual([spanIdOf(2)]);
    expect(names([inner, outer])).toEqual([spanIdOf(2)]);
  });

  it('is two where their models have names that only begin alike', () => {
    const mini = span(2, 1, 'chat gpt-4o-mini', { ...model, 'gen_ai.request.model': 'gpt-4o-mini' });
    expect(names([outer, mini])).toEqual([spanIdOf(1), spanIdOf(2)]);
  });

  it('whose outer one comes in a later request is known by its parent', () => {
    const parents = new RecentParents();
    const told = [[inner], [outer]].flatMap((spans) =>
      received(spans, { parents }).calls.map((call) => [call.span?.ids, call.span?.parentIds]),
    );
    expect(told).toEqual([
      [[spanIdOf(2)], [spanIdOf(1)]],
      [[spanIdOf(1)], []],
    ]);
  });

  it('has what the outer one alone tells', () => {
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Why?' }] }];
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': messages,
      'gen_ai.usage.input_tokens': 1,
      team: 'search',
    };
    const client = span(2, 1, 'POST', { ...model, 'gen_ai.usage.input_tokens': 7, 'gen_ai.usage.output_tokens': 3 });
    const [call = expect.fail()] = received([span(1, 0, 'ask', attributes), client]).calls;
    const { request, response } = readCall(call);
    expect([call.tags.nodeId, request?.lastUserText, response?.usage.promptTokens]).toEqual([spanIdOf(2), 'Why?', 7]);
    expect(call.tags.properties).toEqual([{ name: 'team', value: 'search' }]);
  });

  it('has nothing of an outer one around several calls', () => {
    const attributes = { ...outer.attributes, 'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Why?' }] }] };
    const calls = received([{ ...outer, attributes }, inner, { ...inner, spanId: spanIdOf(3) }]).calls.map(readCall);
    expect(calls.map(({ request }) => request?.lastUserText)).toEqual(['', '']);
  });

  it('has nothing of an outer one around several calls, even if the first came in an earlier request', () => {
    const sums = {
      'langfuse.observation.cost_details': '{"total":0.5}',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
    };
    const framework = { ...outer, attributes: { ...outer.attributes, ...sums } };
    const parents = new RecentParents();
    received([inner], { parents });
    const [call = expect.fail(), ...others] = received([{ ...inner, spanId: spanIdOf(3) }, framework], { parents }).calls;
    const { cost, nodeId } = call.tags;
    expect([nodeId, cost, readCall(call).response?.usage.promptTokens ?? null, others]).toEqual([spanIdOf(3), undefined, null, []]);
  });

  it('has what the outer one alone tells, also when both are sent again', () => {
    const parents = new RecentParents();
    const framework = { ...outer, attributes: { ...outer.attributes, 'langfuse.observation.cost_details': '{"total":0.5}' } };
    const costs = ['first', 'again'].map(() => received([inner, framework], { parents }).calls[0]?.tags.cost);
    expect(costs).toEqual(['0.500000000000', '0.500000000000']);
  });

  it('is not lost in a ring', () => {
    expect(names([{ ...outer, parentSpanId: spanIdOf(2) }, inner])).toEqual([spanIdOf(1), spanIdOf(2)]);
    expect(names([{ ...inner, parentSpanId: spanIdOf(2) }])).toEqual([spanIdOf(2)]);
  });

  it('but one that calls another model is a call of its own', () => {
    expect(names([outer, span(2, 1, 'chat', { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'claude-sonnet-4-5' })])).toEqual([
      spanIdOf(1),
      spanIdOf(2),
    ]);
  });
});

describe('ancestors that come later', () => {
  const owner = { organizationId: '00000000-0000-0000-0000-000000000001' as OrganizationId, keyId: 'k' };
  const requestId = identify({ traceId, spanId: spanIdOf(4) });
  const settled = 2000;

  /** Sends each group in a request of its own, a minute apart, and returns what was corrected after each. */
  function correctionsOf(groups: readonly (readonly WrittenSpan[])[], maxSpans = 100): unknown {
    const late = new LateSpans({ maxSpans });
    return groups.map((spans, index) => {
      const now = index * 60_000;
      late.add(owner, received(spans).traces, now);
      return late.corrections(now + settled).map(({ values, over: _over, ...rest }) => ({ ...rest, values: Object.fromEntries(values) }));
    });
  }

  const corrected = (values: Readonly<Record<string, string>>): unknown => [{ owner, requestId, values }];

  it('complete the path, as each comes', () => {
    expect(correctionsOf([[chat], [step], [agent], [root]])).toEqual([
      [],
      corrected({ 'Svc-Session-Path': '/plan a_b/chat gpt-4o' }),
      corrected({ 'Svc-Session-Path': '/invoke_agent Weather/plan a_b/chat gpt-4o' }),
      [],
    ]);
  });

  it('name the session', () => {
    const named = { ...root, attributes: { ...root.attributes, 'session.id': 's1' } };
    expect(correctionsOf([[chat, step, agent], [named]])).toEqual([[], corrected({ 'Svc-Session-Id': 's1' })]);
  });

  it('give the context that they run in, of each name the nearest, and what the call has itself stays', () => {
    const context = { 'ai.settings.context.team': 'search', 'ai.settings.context.userId': 'ada', 'ai.settings.context.api_key': 'secret' };
    const outer = { ...agent, attributes: { ...agent.attributes, ...context, 'ai.settings.context.plan': 'pro' } };
    const near = { ...step, attributes: { 'ai.settings.context.team': 'near' } };
    const own = { ...chat, attributes: { ...chat.attributes, plan: 'own' } };
    const path = { 'Svc-Session-Path': '/invoke_agent Weather/plan a_b/chat gpt-4o' };
    expect(correctionsOf([[own], [near, outer, root]])).toEqual([[], corrected({ ...path, team: 'near' })]);
    expect(correctionsOf([[chat], [near], [outer], [root]])).toEqual([
      [],
      corrected({ 'Svc-Session-Path': '/plan a_b/chat gpt-4o', team: 'near' }),
      corrected({ 'Svc-Session-Path': '/invoke_agent Weather/plan a_b/chat gpt-4o', plan: 'pro' }),
      [],
    ]);
    expect(received([chat, near, outer, root]).calls[0]?.tags.properties).toEqual([
      { name: 'team', value: 'near' },
      { name: 'plan', value: 'pro' },
    ]);
  });

  it('leave a request as it is that has all of them', () => {
    expect(correctionsOf([[chat, step, agent, root], [span(1, 0, 'another', { 'session.id': 's1' })]])).toEqual([[], []]);
  });

  it('that came before their descendants are remembered', () => {
    expect(correctionsOf([[root, agent, step], [chat]])).toEqual([
      [],
      corrected({ 'Svc-Session-Path': '/invoke_agent Weather/plan a_b/chat gpt-4o' }),
    ]);
  });

  it('are waited for until the trace is quiet, but not for ever', () => {
    const late = new LateSpans({ maxSpans: 100 });
    late.add(owner, received([chat]).traces, 0);
    let at = 0;
    const due: number[] = [];
    for (at = 1000; at <= 21_000; at += 1000) {
      late.add(owner, received([span(100 + at, 1, 'other'), at === 1000 ? step : span(200 + at, 1, 'x')]).traces, at);
      if (late.corrections(at).length > 0) due.push(at);
    }
    expect(due).toEqual([20_000]);
  });

  it('of other organisations are not looked at', () => {
    const late = new LateSpans({ maxSpans: 100 });
    late.add(owner, received([chat]).traces, 0);
    late.add({ ...owner, organizationId: '00000000-0000-0000-0000-000000000002' as OrganizationId }, received([step, agent]).traces, 0);
    expect(late.corrections(settled)).toEqual([]);
  });

  it('beyond the limit of memory are forgotten, the oldest traces first', () => {
    const late = new LateSpans({ maxSpans: 6 });
    const other = { ...chat, traceId: 'a'.repeat(32) };
    late.add(owner, received([chat]).traces, 0);
    late.add(owner, received([other]).traces, 1);
    late.add(owner, received([step, { ...step, traceId: other.traceId }]).traces, 2);
    expect(late.corrections(settled + 2).map((each) => each.requestId)).toEqual([
      identify({ traceId: other.traceId, spanId: spanIdOf(4) }),
    ]);
  });
});
