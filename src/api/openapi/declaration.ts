import type { z } from 'zod';

/** A schema that is read, or one as the document writes it. */
export type DeclaredSchema = z.ZodType | Readonly<Record<string, unknown>>;

/** A body by its media type. */
export type DeclaredContent = Readonly<Record<string, { readonly schema: DeclaredSchema; readonly example?: unknown }>>;

export interface DeclaredResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: DeclaredContent;
}

export type DeclaredResponses = Readonly<Record<string, DeclaredResponse>>;

export interface DeclaredRequest {
  readonly params?: z.ZodObject;
  /** An object, or one that is changed once it is read. */
  readonly query?: z.ZodType;
  readonly headers?: z.ZodObject;
  readonly body?: { readonly required?: boolean; readonly content: DeclaredContent };
}

/** An operation of the OpenAPI document, with zod's schemas. */
export interface Declaration {
  readonly method: string;
  /** Such as `/v1/request/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly security?: readonly object[];
  readonly tags?: readonly string[];
  /** Further ones, as the document writes them. */
  readonly parameters?: readonly object[];
  readonly request?: DeclaredRequest;
  readonly responses: DeclaredResponses;
}
