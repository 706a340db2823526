/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { ChangedVisibility, DeclaredPropertyAnswer, NamedProperty, PropertyListQuery, PropertyNamesAnswer, PropertyOverTimeAnswer, PropertyOverTimeQuery, PropertySearch, PropertyValuesAnswer, PropertyVisibility, TopCostsAnswer, TopRequestsAnswer, TopValuesQuery } from '../types/properties.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface PropertiesEndpoints {
  readonly 'POST /v1/property/query': {
    readonly body?: PropertyListQuery;
    readonly data: PropertyNamesAnswer;
  };
  readonly 'POST /v1/property/hide': {
    readonly body: NamedProperty;
    readonly data: ChangedVisibility;
  };
  readonly 'POST /v1/property/restore': {
    readonly body: NamedProperty;
    readonly data: ChangedVisibility;
  };
  readonly 'POST /v1/property/hidden/query': {
    readonly body?: PropertyListQuery;
    readonly data: PropertyNamesAnswer;
  };
  readonly 'POST /v1/property/{name}/search': {
    readonly path: {
      /** The name of the property with its case, percent-encoded. */
      readonly name: string;
    };
    readonly body: PropertySearch;
    readonly data: PropertyValuesAnswer;
  };
  readonly 'POST /v1/property/{name}/top-costs/query': {
    readonly path: {
      /** The name of the property with its case, percent-encoded. */
      readonly name: string;
    };
    readonly body: TopValuesQuery;
    readonly data: TopCostsAnswer;
  };
  readonly 'POST /v1/property/{name}/top-requests/query': {
    readonly path: {
      /** The name of the property with its case, percent-encoded. */
      readonly name: string;
    };
    readonly body: TopValuesQuery;
    readonly data: TopRequestsAnswer;
  };
  readonly 'POST /v1/property/properties/over-time': {
    readonly body: PropertyOverTimeQuery;
    readonly data: PropertyOverTimeAnswer;
  };
  readonly 'PUT /v1/property/{name}': {
    readonly path: {
      /** The name of the property with its case, percent-encoded. */
      readonly name: string;
    };
    readonly body?: PropertyVisibility;
    readonly data: DeclaredPropertyAnswer;
  };
}
