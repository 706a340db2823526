import { editDistance } from '../model/edit-distance.ts';

/** Weight of a common word against differing letters: `GATELOG_PORT` means `GATELOG_API_PORT`, not `GATELOG_HOST`. */
const sharedWordBonus = 3;
/** Maximum distance of related names. */
const farthest = 3;

/** The known name that a misspelt one most likely meant; undefined when none is near. Names are words joined by underscores. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: nameDistance(name, candidate) }))
    .toSorted((left, right) => left.distance - right.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= farthest ? best.candidate : undefined;
}

function nameDistance(name: string, candidate: string): number {
  const words = new Set(candidate.split('_').slice(1));
  const shared = name
    .split('_')
    .slice(1)
    .filter((word) => words.has(word)).length;
  return editDistance(name.slice(0, 80), candidate) - sharedWordBonus * shared;
}
