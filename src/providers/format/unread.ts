import { objectOf, textOf } from './fields.ts';
import { bedrockModelIn, deploymentOf, modelInPath } from './path-names.ts';

/** The requested model at an endpoint of unknown format: in the body at nearly all, else in the path. */
export function requestedModel(body: unknown, path: string): string {
  return textOf(objectOf(body)['model']) || modelInPath(path) || bedrockModelIn(path) || deploymentOf(path);
}

/** The responding model at such an endpoint. */
export function respondedModel(body: unknown): string {
  return textOf(objectOf(body)['model']);
}
