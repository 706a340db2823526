import { isJsonObject } from '../model/text.ts';
import { anthropicMessages } from './anthropic/messages.ts';
import { geminiGenerateContent } from './google/generate-content.ts';
import { openAiChat } from './openai/chat.ts';
import { openAiCompletions } from './openai/completions.ts';
import { openAiResponses } from './openai/responses.ts';
import type { WireFormat } from './provider.ts';

/** Formats by the members that only their requests have; the first match counts. */
const formatsByMembers: readonly (readonly [members: readonly string[], format: WireFormat])[] = [
  [['contents'], geminiGenerateContent],
  // OpenAI's chat has its system prompt among the messages.
  [['messages', 'system'], anthropicMessages],
  [['messages', 'anthropic_version'], anthropicMessages],
  [['messages'], openAiChat],
  [['input'], openAiResponses],
  [['prompt'], openAiCompletions],
];

/** The probable format of a request whose path is not known, as in the records of other services. */
export function wireFormatByShape(request: unknown): WireFormat | undefined {
  if (!isJsonObject(request)) return undefined;
  return formatsByMembers.find(([members]) => members.every((member) => Object.hasOwn(request, member)))?.[1];
}
