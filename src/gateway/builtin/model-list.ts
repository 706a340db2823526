import type { OrganizationId } from '../../model/ids.ts';
import type { KnownModels } from '../routing/known-models.ts';
import { echoProviderName, type ProviderAddress, type ProviderTable } from '../routing/provider-table.ts';
import { respond, type ResponseSink } from '../upstream/response-sink.ts';

export interface ModelSources {
  readonly providers: ProviderTable;
  readonly knownModels: KnownModels;
  readonly organizationId: OrganizationId;
  /** Providers with a stored key of this organisation. */
  readonly storedProviders: ReadonlySet<string>;
}

export interface ModelRequest {
  readonly method: string;
  readonly client: string | undefined;
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

/**
 * `GET /v1/models`. @param client the provider whose client asks: such a client calls that provider's own endpoints, so it gets the models
 * of that one alone, with the names that they have there.
 */
export function answerModels(sources: ModelSources, { method, client }: ModelRequest, sink: ResponseSink): void {
  const models = listedModels(sources);
  const list = client === undefined ? { object: 'list', data: models } : listForClient(models.filter(({ owned_by: by }) => by === client));
  const body = Buffer.from(JSON.stringify(list));
  const headers = ['content-type', 'application/json', 'content-length', String(body.length)];
  respond(sink, { status: 200, headers, chunks: method === 'HEAD' ? [] : [body] });
}

/** In the shape of both OpenAI and Anthropic. Anthropic writes the epoch for a time of release that is not known. */
function listForClient(models: readonly ListedModel[]): object {
  const data = models.map(({ id, owned_by: provider, ...model }) => {
    const name = id.slice(provider.length + 1);
    return { ...model, id: name, owned_by: provider, type: 'model', display_name: name, created_at: '1970-01-01T00:00:00Z' };
  });
  return { object: 'list', data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
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
