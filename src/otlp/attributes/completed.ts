import type { SpanCall } from './span-call.ts';
import { unknownProvider } from './provider.ts';
import type { Usage } from '../dialects/usage.ts';

/** What other spans tell of the same call stands in for what the first leaves out. */
export function completed(call: SpanCall, others: readonly SpanCall[]): SpanCall {
  return others.reduce(completedBy, call);
}

function completedBy(call: SpanCall, other: SpanCall): SpanCall {
  const texts = Object.entries(call.texts).map(([name, text]) => [name, text || other.texts[name as keyof SpanCall['texts']]]);
  return {
    ...call,
    texts: Object.fromEntries(texts) as SpanCall['texts'],
    provider: call.provider === unknownProvider ? other.provider : call.provider,
    address: call.address || other.address,
    finishReasons: call.finishReasons.length > 0 ? call.finishReasons : other.finishReasons,
    parameters: { ...other.parameters, ...call.parameters },
    usage: isRicher(other.usage, call.usage) ? other.usage : call.usage,
    conversation: {
      messages: call.conversation.messages ?? other.conversation.messages,
      choices: call.conversation.choices ?? other.conversation.choices,
      tools: call.conversation.tools ?? other.conversation.tools,
      input: call.conversation.input ?? other.conversation.input,
      output: call.conversation.output ?? other.conversation.output,
    },
    firstTokenMs: call.firstTokenMs ?? other.firstTokenMs,
    statusCode: call.statusCode ?? (call.hasFailed ? other.statusCode : undefined),
    costUsd: call.costUsd ?? other.costUsd,
  };
}

/** The provider's own usage says more than counts; the whole of it more than parts, as it has fees too. */
function isRicher(other: Usage, usage: Usage): boolean {
  if (other.anthropic !== undefined) return Object.keys(usage.anthropic ?? {}).length < Object.keys(other.anthropic).length;
  return Object.keys(usage).length === 0;
}
