/** The header for a provider's key; `authorization` as a bearer token. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key';

export interface AddressFromPath {
  readonly origin: string;
  /** The rest of the caller's path. */
  readonly path: string;
}

/** What is known of a provider besides its wire format. Optional facts are absent where they do not hold. */
export interface ProviderDeclaration {
  /**
   * Base URL of the provider's own clients, with settings in braces; or a function of the path, where every customer has another address.
   */
  readonly baseUrl: string | ((path: string) => AddressFromPath);
  /** Matches its origins where `baseUrl` is not the only one. */
  readonly origins?: RegExp;
  readonly keyHeader: KeyHeader;
  /**
   * Path of the OpenAI-compatible API under the base URL; undefined where the deployment cannot know one. A path that does not end in `/v1`
   * replaces the `/v1` of OpenAI's paths.
   */
  readonly openAiPath: string | undefined;
  readonly openAiKeyHeader: KeyHeader;
  /** The key may be in the query too (`?key=…`). */
  readonly takesQueryKey?: true;
  /** An address in a path is one customer's, and anybody may name it: only the caller's own key goes there. */
  readonly isCustomers?: true;
  /** Written where a deployment cannot know the OpenAI address. */
  readonly openAiAddressHint?: string;
  /** It runs on the gateway's machine: it needs an entry in the allow-list, and no key. */
  readonly isLocal?: true;

  /** Helicone's name in records, where it is not the name in capitals. */
  readonly recordName?: string;
  /** Name in the price book; absent: unpriced, as the name of a model alone does not tell who bills for it. */
  readonly priceId?: string;
  /** Names in OpenTelemetry's dialects that are neither its name nor an alias. */
  readonly telemetryNames?: readonly string[];
  /** Hosts at which it is called besides those of its address: only told of, never called by us. */
  readonly furtherHosts?: RegExp;
  /** How the names of models that only it makes begin, for spans that name no provider. */
  readonly madeModels?: RegExp;
  /** Members of its bodies whose lists of integers are identifiers of tokens. */
  readonly tokenIdMembers?: readonly string[];

  /** Reports the usage of every stream and rejects the member that asks for it. */
  readonly rejectsUsageOption?: true;
  /**
   * `own`: sells the models it makes. `any`: sells others' models or serves any that are installed, so names may have slashes and any
   * suffix.
   */
  readonly models?: 'own' | 'any';
  /** Common prefix of all its models and of no others. */
  readonly modelPrefix?: string;
  /** Serves models of all makers as `maker/model`, with or without a suffix, where no other provider is named. */
  readonly isHub?: true;
  /** Start of all its keys and of nobody else's. */
  readonly keyPrefix?: string;
  /** Supports the suffix `:online`. */
  readonly searchesOnline?: true;
  /** Calls are signed with the keys of an AWS account. */
  readonly signedByAws?: true;
  /** `model/<provider>/<deployment>` names one of the customer's deployments. */
  readonly hasDeployments?: true;
  /** Its clients read a list of models that only it has: with limits, actions and pages. */
  readonly listsModelsItself?: true;
  /** Paths that are free of charge. */
  readonly freePath?: RegExp;
}
