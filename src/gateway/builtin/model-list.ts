import type { OrganizationId } from '../../model/ids.ts';
import { echoProviderName, type ProviderAddress, type ProviderTable } from '../routing/provider-table.ts';
import { respond, type ResponseSink } from '../upstream/response-sink.ts';

/**
 * Names of a provider's models that are known for an organisation.
 * @throws GatelogError `metadata_unavailable`.
 */
export type KnownModels = (provider: string, organizationId: OrganizationId) => readonly string[];

export interface ModelSources {
  readonly providers: ProviderTable;
  readonly knownModels: KnownModels;
  readonly organizationId: OrganizationId;
  /** Providers with a stored key of this organisation. */
  readonly storedProviders: ReadonlySet<string>;
}

export interface ListedModel {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

/** Models that callers reach with our key alone, named as the gateway routes them: `provider/model`. */
export function listedModels({ providers, knownModels, organizationId, storedProviders }: ModelSources): readonly ListedModel[] {
  const reachable = providers.all
    .filter((address) => isReachable(address, storedProviders))
    .flatMap(({ name }) => knownModels(name, organizationId).map((model) => toListedModel(name, model)));
  return [toListedModel(echoProviderName, 'echo'), ...reachable];
}

/** `GET /v1/models`, in OpenAI's shape. */
export function answerModels(sources: ModelSources, method: string, sink: ResponseSink): void {
  const body = Buffer.from(JSON.stringify({ object: 'list', data: listedModels(sources) }));
  const headers = ['content-type', 'application/json', 'content-length', String(body.length)];
  respond(sink, { status: 200, headers, chunks: method === 'HEAD' ? [] : [body] });
}

/** Calls reach it by `name/model`, with a stored key, with the deployment's, or without any. */
function isReachable({ name, native, isRoutable }: ProviderAddress, storedProviders: ReadonlySet<string>): boolean {
  const hasStored = native.keyHeader !== undefined && storedProviders.has(name);
  return isRoutable && (hasStored || native.deploymentCredentials !== undefined);
}

/** OpenAI's clients expect a time of creation, which is unknown here. */
function toListedModel(provider: string, model: string): ListedModel {
  return { id: `${provider}/${model}`, object: 'model', created: 0, owned_by: provider };
}
