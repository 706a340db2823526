import { wellFormed } from '../../model/text.ts';

/** Azure names in the path what others name in the body. Empty for any other path. */
export function deploymentOf(path: string): string {
  const [, encoded] = /\/deployments\/([^/?#]{1,512})/.exec(path) ?? [];
  return encoded === undefined ? '' : decoded(encoded);
}

/** A part of a path without its percent signs, or as it stands when they are none. */
export function decoded(part: string): string {
  try {
    return wellFormed(decodeURIComponent(part));
  } catch {
    return part;
  }
}
