import { wellFormed } from '../../model/text.ts';

// TRICKY: the last match in a path counts, as a target's base address may have segments of the same names.

/** The deployment in a path, which Azure uses in place of a model in the body; empty without one. */
export function deploymentOf(path: string): string {
  return decoded(/^[^?#]*\/deployments\/([^/?#]{1,512})/.exec(path)?.[1]);
}

/** The model in a path like Google's `…/models/<name>:<method>`; empty without one. */
export function modelInPath(path: string): string {
  return decoded(/^[^?#]*\/models\/([^/?#:]{1,512})/.exec(path)?.[1]);
}

/** The model in a Bedrock path `/model/<id>/<method>`, as by {@link bedrockModelOf}; empty without one. */
export function bedrockModelIn(path: string): string {
  return bedrockModelOf(decoded(/^[^?#]*\/model\/([^/?#]{1,2048})\//.exec(path)?.[1]));
}

/**
 * The name of a Bedrock model or inference profile without the resource prefix of an ARN, as in `arn:aws:bedrock:us-
 * east-1:123456789012:inference-profile/us.anthropic.claude-…`.
 */
export function bedrockModelOf(id: string): string {
  return id.replace(/^arn:.*\/(?=[^/]+$)/, '');
}

/** Percent-decodes a segment; returns a malformed one unchanged. */
function decoded(part: string | undefined): string {
  try {
    return wellFormed(decodeURIComponent(part ?? ''));
  } catch {
    return part ?? '';
  }
}
