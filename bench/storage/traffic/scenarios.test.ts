import { describe, expect, test } from 'vitest';
import { byLength } from '../../../test/support/test-length.ts';
import { agentSessionId } from './agents.ts';
import { commonPhrase, rareWord } from './call.ts';
import type { ChatRequest } from './chat.ts';
import { trafficOf } from './first-said.ts';
import { type Scenario, scenarios, type ScenarioName } from './scenarios.ts';

function scenarioNamed(name: ScenarioName): Scenario {
  return scenarios.find((scenario) => scenario.name === name) as Scenario;
}

const some = 300;

describe.each(scenarios)('$title', ({ generate, name }) => {
  test('are the same calls in each run, and as many as are asked for', () => {
    const [first, second] = [[...generate(some)], [...generate(some)]];
    expect(first).toHaveLength(some);
    expect(first).toEqual(second);
  });

  test('have the words that searches look for in the places that are stated', () => {
    const newlySaid = [...generate(some)].filter(({ request }) => lastMessage(request).includes(rareWord));
    expect(newlySaid).toHaveLength(2);
    const frequent = [...generate(some)].filter(({ request }) => lastMessage(request).includes(commonPhrase));
    expect(frequent).toHaveLength(some / 4);
  });

  test('name sessions in one scenario alone', () => {
    const sessions = new Set([...generate(some)].map(({ sessionId }) => sessionId));
    expect(sessions).toEqual(
      new Set(name === 'agents' ? Array.from({ length: some / 30 }, (_, number) => agentSessionId(number)) : [undefined]),
    );
  });
});

function lastMessage(request: string): string {
  return JSON.stringify((JSON.parse(request) as ChatRequest).messages.at(-1));
}

test('3,000 calls of agents are about 136 MB on the wire, of which about 8.5 MB are said for the first time', () => {
  const calls = byLength(600, 3000);
  const { wireBytes, firstSaidBytes } = trafficOf(scenarioNamed('agents').generate(calls));
  expect(Math.abs(wireBytes / calls / (136e6 / 3000) - 1)).toBeLessThan(0.1);
  expect(Math.abs(firstSaidBytes / calls / (8.5e6 / 3000) - 1)).toBeLessThan(0.1);
});

test('agents say the same with identifiers of sessions and without', () => {
  const [named, unnamed] = [scenarioNamed('agents'), scenarioNamed('agents-without-ids')].map(({ generate }) =>
    [...generate(some)].map(({ request, response }) => ({ request, response })),
  );
  expect(named).toEqual(unnamed);
});

test('a plain chat is 1 to 3 kB, of which a third is text that nobody has said before', () => {
  const { calls, wireBytes, firstSaidBytes } = trafficOf(scenarioNamed('chats').generate(byLength(500, 2000)));
  expect(Math.abs(wireBytes / calls - 2000)).toBeLessThan(1000);
  expect(Math.abs(firstSaidBytes / wireBytes - 1 / 3)).toBeLessThan(0.05);
});

test('of a prompt with retrieved passages a tenth is said for the first time, and half of it is the common system text', () => {
  const { calls, wireBytes, firstSaidBytes } = trafficOf(scenarioNamed('rag').generate(4000));
  expect(Math.abs(wireBytes / calls - 12_000)).toBeLessThan(1000);
  expect(Math.abs(firstSaidBytes / wireBytes - 0.1)).toBeLessThan(0.02);
  const [first, second] = [...scenarioNamed('rag').generate(2)].map(({ request }) => (JSON.parse(request) as ChatRequest).messages[0]);
  expect(first).toEqual(second);
  expect(JSON.stringify(first).length / (wireBytes / calls)).toBeCloseTo(0.5, 1);
});

test('a picture of 40 to 120 kB in base64 comes with each turn of its conversation, and a quarter of all is new', () => {
  const { calls, wireBytes, firstSaidBytes } = trafficOf(scenarioNamed('images').generate(byLength(200, 500)));
  expect(Math.abs(wireBytes / calls - 96_000)).toBeLessThan(10_000);
  expect(Math.abs(firstSaidBytes / wireBytes - 0.235)).toBeLessThan(0.03);
});
