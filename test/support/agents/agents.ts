import type { CodingAgent } from './agent.ts';
import { independentAgents } from './independent.ts';
import { agentsOfMakers } from './of-makers.ts';

/** Each agent with the settings of the guide (docs/guides/coding-agents.md). */
export const codingAgents: readonly CodingAgent[] = [...agentsOfMakers, ...independentAgents];
