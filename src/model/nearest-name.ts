import { editDistance } from './edit-distance.ts';

/** A longer name is nobody's slip of the finger, and comparing it takes time. */
const maxComparedCharacters = 60;
/** Above this many letters two names have nothing to do with each other. */
const maxDistance = 2;
/** A name that begins with the other is near it from this length on: `startTime` for `startTimeUnixMs`. */
const minPrefixCharacters = 4;

/** The known name that a caller most likely meant, undefined when none is near. Case does not count. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxComparedCharacters) return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((left, right) => left.distance - right.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.min(maxDistance, best.candidate.length - 1) ? best.candidate : undefined;
}

function distanceOf(name: string, candidate: string): number {
  const isPrefix = name.length >= minPrefixCharacters && (candidate.startsWith(name) || name.startsWith(candidate));
  if (isPrefix) return Math.min(maxDistance, Math.abs(name.length - candidate.length));
  return Math.abs(name.length - candidate.length) > maxDistance ? Infinity : editDistance(name, candidate);
}
