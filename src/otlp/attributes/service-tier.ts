import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { unpacked } from '../messages/chat-message.ts';
import type { Span } from '../received/span.ts';

/** What a span tells of the tier beside the attributes that name it. */
export interface TierSources {
  /** Parameters that lie in one object. */
  readonly packed: JsonObject;
  /** Some instrumentations keep the whole response. */
  readonly output: unknown;
}

/**
 * The service tier that the price depends on; empty: none is told. What the response says comes before what was asked for: a provider may
 * serve a request otherwise. `auto` asks for nothing.
 */
export function serviceTierOf(
  { attributes }: Span,
  told: { readonly serviceTier: string; readonly requestedTier: string },
  { packed, output }: TierSources,
): string {
  const served = told.serviceTier || inMetadata(attributes.get('ai.response.providerMetadata')) || tierIn(unpacked(output));
  if (served !== '') return served;
  const requested = told.requestedTier || tierIn(packed);
  return requested === 'auto' ? '' : requested;
}

/** The AI SDK's metadata have a member for each provider: `{"openai":{"serviceTier":"flex"}}`. */
function inMetadata(value: unknown): string {
  const metadata = unpacked(value);
  const tiers = isJsonObject(metadata) ? Object.values(metadata).map(tierIn) : [];
  return tiers.find((tier) => tier !== '') ?? '';
}

function tierIn(value: unknown): string {
  if (!isJsonObject(value)) return '';
  const tier = value['service_tier'] ?? value['serviceTier'];
  return typeof tier === 'string' ? tier : '';
}
