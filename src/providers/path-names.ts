import { wellFormed } from '../model/text.ts';

/** The deployment that a path names, as Azure's do in place of a model in the body. Empty for any other path. */
export function deploymentOf(path: string): string {
  return decoded(/\/deployments\/([^/?#]{1,512})/.exec(path)?.[1]);
}

/** The model that a path names, as Google's do: `…/models/<name>:<method>`. Empty for any other path. */
export function modelInPath(path: string): string {
  return decoded(/\/models\/([^/?#:]{1,512})/.exec(path)?.[1]);
}

/** A part of a path without its percent signs, or as it stands when they are none. */
function decoded(part: string | undefined): string {
  try {
    return wellFormed(decodeURIComponent(part ?? ''));
  } catch {
    return part ?? '';
  }
}
