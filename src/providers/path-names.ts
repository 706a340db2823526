import { wellFormed } from '../model/text.ts';

// TRICKY: the last part of a path that could name something does, as the base address of a target may have parts of the same names.

/** The deployment that a path names, as Azure's do in place of a model in the body. Empty for any other path. */
export function deploymentOf(path: string): string {
  return decoded(/^[^?#]*\/deployments\/([^/?#]{1,512})/.exec(path)?.[1]);
}

/** The model that a path names, as Google's do: `…/models/<name>:<method>`. Empty for any other path. */
export function modelInPath(path: string): string {
  return decoded(/^[^?#]*\/models\/([^/?#:]{1,512})/.exec(path)?.[1]);
}

/** The model that a path of Bedrock names, `/model/<id>/<method>`, as {@link bedrockModelOf} has it. Empty for any other path. */
export function bedrockModelIn(path: string): string {
  return bedrockModelOf(decoded(/^[^?#]*\/model\/([^/?#]{1,2048})\//.exec(path)?.[1]));
}

/**
 * A model of Bedrock's without what only says where it runs: the name of the resource in front of a model's or an inference profile's own, as in
 * `arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-…`.
 */
export function bedrockModelOf(id: string): string {
  return id.replace(/^arn:.*\/(?=[^/]+$)/, '');
}

/** A part of a path without its percent signs, or as it stands when they are none. */
function decoded(part: string | undefined): string {
  try {
    return wellFormed(decodeURIComponent(part ?? ''));
  } catch {
    return part ?? '';
  }
}
