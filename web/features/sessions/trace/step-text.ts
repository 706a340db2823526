import type { RequestItem } from '../../../../src/client/client.ts';
import { failureTitles } from '../../../lib/failure.ts';
import type { Step } from './steps.ts';

/** What a step is: a call of a model, or one of a tool that was logged by itself. */
export type StepKind = 'model' | 'tool';

/** Steps that are no calls of a model have such a name in place of one. */
const tool = /^(?:tool|data):(?<name>.+)$/s;
const vectorDatabase = 'vector_db';

export function kindOf({ model }: RequestItem): StepKind {
  return model === vectorDatabase || tool.test(model) ? 'tool' : 'model';
}

export function nameOf({ model }: RequestItem): string {
  return tool.exec(model)?.groups?.['name'] ?? (model === '' ? 'request' : model);
}

/** The first words of what went into a step and of what came out of it. */
export interface StepTexts {
  readonly input: string;
  readonly output: string;
}

export function textsOf({ input_preview: input, output_preview: output, failure }: RequestItem): StepTexts {
  return { input: input ?? '', output: failure === null ? (output ?? '') : failureText(failure) };
}

/** Why a call failed, in a sentence. */
function failureText({ kind, type, message }: NonNullable<RequestItem['failure']>): string {
  return [type, message].filter((text) => text !== null && text !== '').join(': ') || failureTitles[kind];
}

/** Whether a text stands in what a row says of a step, in any case. @param text in lower case. */
export function says({ request }: Step, text: string): boolean {
  const { input, output } = textsOf(request);
  return [request.model, request.session_path ?? '', input, output].some((one) => one.toLowerCase().includes(text));
}
