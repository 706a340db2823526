import type { OrganizationId } from '../../model/ids.ts';
import { echoProviderName, type ProviderAddress, type ProviderTable } from '../routing/provider-table.ts';
import { respond, type ResponseSink } from '../upstream/response-sink.ts';

/** Names of a provider's models, as far as an organisation knows them here. @throws GatelogError `metadata_unavailable`. */
export type KnownModels = (provider: string, organizationId: OrganizationId) => readonly string[];

/** What a list of models is made of. */
export interface ModelSources {
  readonly providers: ProviderTable;
  readonly knownModels: KnownModels;
  /** The caller's. */
  readonly organizationId: OrganizationId;
  /** Providers for which it has stored a key. */
  readonly storedProviders: ReadonlySet<string>;
}

/** A model as OpenAI's clients read it. */
export interface ListedModel {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

/** What callers reach with our key alone, written as the gateway routes by it: `provider/model`. */
export function listedModels({ providers, knownModels, organizationId, storedProviders }: ModelSources): readonly ListedModel[] {
  const open = providers.all
    .filter((address) => isOpen(address, storedProviders))
    .flatMap(({ name }) => knownModels(name, organizationId).map((model) => entry(name, model)));
  return [entry(echoProviderName, 'echo'), ...open];
}

/** `GET /v1/models`, in OpenAI's shape. */
export function answerModels(sources: ModelSources, method: string, sink: ResponseSink): void {
  const body = Buffer.from(JSON.stringify({ object: 'list', data: listedModels(sources) }));
  const lines = ['content-type', 'application/json', 'content-length', String(body.length)];
  respond(sink, { status: 200, lines, chunks: method === 'HEAD' ? [] : [body] });
}

/** It is reached by `name/model`, and a key of the organisation's or the deployment's goes there, or none is needed. */
function isOpen({ name, native, isRoutable }: ProviderAddress, storedProviders: ReadonlySet<string>): boolean {
  const hasStored = native.keyHeader !== undefined && storedProviders.has(name);
  return isRoutable && (hasStored || native.deploymentCredentials !== undefined);
}

/** OpenAI's clients expect a time of creation, which nobody knows here. */
function entry(provider: string, model: string): ListedModel {
  return { id: `${provider}/${model}`, object: 'model', created: 0, owned_by: provider };
}
