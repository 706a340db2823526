import { editDistance } from './edit-distance.ts';

/** Bounds the work of a comparison; longer names are not typing errors. */
const maxComparedCharacters = 60;
const maxDistance = 2;
/** Min length at which a prefix counts as near, as `startTime` for `startTimeUnixMs`. */
const minPrefixCharacters = 4;
/** Of a shorter name two other characters make another word: `Plan` is no `path`. */
const minWordCharacters = 5;

/** The known name that the caller most likely meant; undefined when none is near. Ignores case. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxComparedCharacters) return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((left, right) => left.distance - right.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.min(maxDistance, best.candidate.length - 1) ? best.candidate : undefined;
}

/** The known name that a whole name is a misspelling of: a name that only begins like one, as `Cost-Center`, is another name. Ignores case. */
export function misspeltName(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .filter((candidate) => Math.abs(name.length - candidate.length) <= maxDistance)
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance < maxDistance || candidate.length >= minWordCharacters || areSwapped(name, candidate))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((left, right) => left.distance - right.distance);
  return best?.candidate;
}

/** Whether both have the same characters. */
function areSwapped(name: string, candidate: string): boolean {
  const [left, right] = [name, candidate].map((text) => Array.from(text.toLowerCase()).toSorted().join(''));
  return left === right;
}

function distanceOf(name: string, candidate: string): number {
  const isPrefix = name.length >= minPrefixCharacters && (candidate.startsWith(name) || name.startsWith(candidate));
  if (isPrefix) return Math.min(maxDistance, Math.abs(name.length - candidate.length));
  return Math.abs(name.length - candidate.length) > maxDistance ? Infinity : editDistance(name, candidate);
}
