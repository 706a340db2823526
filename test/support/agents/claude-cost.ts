import { isJsonObject, parseJson } from '../../../src/model/text.ts';
import { claudeCode } from './of-makers.ts';
import { type AgentScene, runAgent } from './run.ts';

/** What Claude Code and the record say of the same calls. */
export interface ClaudeCosts {
  /** The model of the calls; '' without a call. */
  readonly model: string;
  readonly calls: number;
  readonly records: number;
  /** US dollars: the `total_cost_usd` that it prints; undefined without one. */
  readonly itsCost: number | undefined;
  /** US dollars, of the records; undefined where one has no cost. */
  readonly ourCost: number | undefined;
}

const question = 'How many files are in this folder?';

/** @param asked a model or an alias; '' leaves the choice to Claude Code. */
export async function claudeCosts(asked: string, scene: AgentScene): Promise<ClaudeCosts> {
  const { calls, records, output } = await runAgent(claudeCode(asked, '--output-format', 'json'), scene, question);
  const answer = parseJson(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  const itsCost = isJsonObject(answer) ? answer['total_cost_usd'] : undefined;
  const costs = records.map(({ cost }) => cost);
  return {
    model: [...new Set(calls.map(({ model }) => model))].join(', '),
    calls: calls.length,
    records: records.length,
    itsCost: typeof itsCost === 'number' ? itsCost : undefined,
    ourCost: costs.some((cost) => cost === null) ? undefined : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
}
