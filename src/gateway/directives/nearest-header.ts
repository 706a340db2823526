import { nearestName } from '../../model/nearest-name.ts';

/** A line under our prefix that nobody reads. */
export interface UnreadLine {
  readonly name: string;
  /** What follows the prefix, in lower case. */
  readonly suffix: string;
  readonly prefixLength: number;
}

/** The header of ours that a caller most likely meant, undefined when none is near. @param known suffixes of our headers. */
export function nearestHeader({ name, suffix, prefixLength }: UnreadLine, known: Iterable<string>): string | undefined {
  const prefix = inTitleCase(name.slice(0, prefixLength));
  const nearest = nearestName(suffix, [...known]);
  if (nearest !== undefined) return prefix + inTitleCase(nearest);
  const dash = suffix.indexOf('-');
  if (dash === -1 || nearestName(suffix.slice(0, dash), ['property']) === undefined) return undefined;
  return `${prefix}Property${name.slice(prefixLength + dash)}`;
}

function inTitleCase(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/gu, (letter) => letter.toUpperCase());
}
