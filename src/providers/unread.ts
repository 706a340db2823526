import { objectOf, textOf } from './facts.ts';
import { bedrockModelIn, deploymentOf, modelInPath } from './path-names.ts';

/** The model that a call of an endpoint names which is not understood: in its body, where nearly all have it, or in its path. */
export function modelAsked(body: unknown, path: string): string {
  return textOf(objectOf(body)['model']) || modelInPath(path) || bedrockModelIn(path) || deploymentOf(path);
}

/** The model that the answer of such an endpoint names. */
export function modelTold(body: unknown): string {
  return textOf(objectOf(body)['model']);
}
