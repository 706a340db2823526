import type { ImportRecord } from '../../client/nouns/imports.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type Message, recordOf } from './record.ts';
import { agentSteps, agentTasks, agentThoughts } from './texts.ts';

export interface AgentOptions {
  /** Begin, Unix milliseconds. */
  readonly at: number;
  readonly turns: number;
  readonly user: string;
  /** It repeats itself past the provider's cache, and costs more than all others of its day. */
  readonly isRunaway: boolean;
}

const system = 'You are an engineer in the repository shop. Call one tool at a time, and finish when all tests pass.';

/** A coding agent: the whole conversation goes with each turn, most of it from the provider's cache. */
export function agentSession(random: SeededRandom, { at, turns, user, isRunaway }: AgentOptions): readonly ImportRecord[] {
  const id = `agent-${random.between(1000, 9999)}`;
  const task = isRunaway ? 'Find out why the nightly export is slow' : random.pick(agentTasks);
  const messages: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: task },
  ];
  let time = at;
  return Array.from({ length: turns }, (_, turn) => {
    const step = agentSteps[turn % agentSteps.length] ?? agentSteps[0];
    const callId = `call_${turn}`;
    const call = { id: callId, type: 'function', function: { name: step.tool, arguments: JSON.stringify(step.input) } };
    const thought = agentThoughts[turn % agentThoughts.length] ?? '';
    const isLast = turn === turns - 1;
    const answer = { role: 'assistant', content: isLast ? 'Done: the tests pass.' : thought, ...(isLast ? {} : { tool_calls: [call] }) };
    const record = recordOf(random, {
      at: time,
      model: 'claude-sonnet-4-5',
      messages: [...messages],
      answer,
      user,
      country: 'DE',
      session: { id, name: task, path: step.path },
      properties: { App: 'code-agent', Team: 'platform', Environment: 'development', Feature: 'agent', Repository: 'shop' },
      failure: random.chance(0.01) ? 429 : undefined,
      promptFactor: isRunaway ? 14 : 12,
      cached: turn === 0 || isRunaway ? 0 : 0.8,
    });
    messages.push(answer, { role: 'tool', content: step.output, tool_call_id: callId });
    time += random.between(4000, 20_000);
    return record;
  });
}
