import type { RequestItem } from '../../../../src/client/client.ts';

/** A request of a session. Times are milliseconds since the session began. */
export interface Step {
  /** In the session, from 1, in the order of time. */
  readonly number: number;
  readonly request: RequestItem;
  /** The parts of its path. */
  readonly levels: readonly string[];
  readonly startMs: number;
  readonly durationMs: number;
}

/** As deep as the tree of the API goes. */
const deepestLevel = 32;

/** @param requests of one session, the oldest first. */
export function stepsOf(requests: readonly RequestItem[]): readonly Step[] {
  const begunAt = Date.parse(requests[0]?.request_created_at ?? '');
  return requests.map((request, index) => ({
    number: index + 1,
    request,
    levels: levelsOf(request.session_path),
    startMs: Date.parse(request.request_created_at) - begunAt,
    durationMs: request.latency ?? 0,
  }));
}

function levelsOf(path: string | null): readonly string[] {
  return (path ?? '')
    .split('/')
    .filter((name) => name !== '')
    .slice(0, deepestLevel);
}

/** From the first arrival to the end of whichever ended last, and not nothing. */
export function lengthOf(steps: readonly Step[]): number {
  return steps.reduce((longest, { startMs, durationMs }) => Math.max(longest, startMs + durationMs), 1);
}

/** The step before a step at its place: agents of a session take turns, and each goes on from its own. */
export function stepBefore(steps: readonly Step[], step: Step): Step | undefined {
  const path = step.request.session_path;
  for (let index = step.number - 2; index >= 0; index -= 1) {
    const one = steps[index];
    if (one?.request.session_path === path) return one;
  }
  return undefined;
}
