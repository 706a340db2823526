import type * as OpenIdClient from 'openid-client';
import type { Configuration } from 'openid-client';
import { GatelogError } from '../../model/errors.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type Claims, type PersonIdentity, identityOf, saysAll } from './identity.ts';
import { awayError, explainFailure, hasEnded, isUndecided } from './failures.ts';

type Library = typeof OpenIdClient;
/**
 * Marked as deprecated in the library, so that nobody takes it unawares. The settings allow plain http for an issuer on this machine alone.
 */
interface PlainHttp {
  readonly allowInsecureRequests: (configuration: Configuration) => void;
}
type Discovered = ReturnType<Configuration['serverMetadata']>;

export interface IssuerSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What a browser must bring back from the issuer. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/** Kept for a session: what asks the issuer again, and what ends the session there. */
export interface IssuerTokens {
  readonly refreshToken?: string;
  readonly idToken?: string;
}

export interface Told {
  readonly identity: PersonIdentity;
  readonly tokens: IssuerTokens;
}

/** How far an issuer's clock may be off, seconds. */
const clockToleranceSeconds = 60;
/** Some issuers date tokens back by five minutes on purpose, for receivers whose clock is slow. */
const maxAgeSeconds = 600;
/** An issuer's addresses change hardly ever; its keys are read for each sign-in. */
const discoveryFreshMs = 10 * 60_000;
const timeoutSeconds = 10;
/** Of calls that the issuer is asked for. */
const maxAtOnce = 64;
/** A longer one is not kept. */
const maxTokenCharacters = 16 * 1024;

/** An issuer of OpenID Connect. Its library is loaded, and its addresses are asked for, at the first sign-in. */
export class Issuer {
  private readonly settings: IssuerSettings;
  private library: Promise<Library> | undefined;
  private running = 0;
  private discovered: { readonly at: number; readonly metadata: Discovered } | undefined;

  constructor(settings: IssuerSettings) {
    this.settings = settings;
  }

  /** As people of it are stored. */
  get address(): string {
    return this.settings.issuer;
  }

  /** For people. */
  get name(): string {
    return new URL(this.settings.issuer).host;
  }

  /** Makes the secrets of a sign-in and the issuer's address at which it goes on. @throws GatelogError 503 when the issuer is away. */
  async begin(redirectUri: string): Promise<{ readonly address: URL; readonly checks: SignInChecks }> {
    return this.asking(async (library, configuration) => {
      const checks = { state: library.randomState(), nonce: library.randomNonce(), verifier: library.randomPKCECodeVerifier() };
      const address = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: this.settings.scopes.join(' '),
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { address, checks };
    });
  }

  /** @param returned the address with which the browser came back. @throws GatelogError 403 for what is not valid, 503. */
  async finish(returned: URL, { state, nonce, verifier }: SignInChecks): Promise<Told> {
    return this.asking(async (library, configuration) => {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await library.authorizationCodeGrant(configuration, returned, checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new GatelogError('permission_denied', 'The issuer has sent no ID token.');
      this.checkTime(claims.iat);
      return { identity: await this.identity(library, configuration, { claims, subject: claims.sub, tokens }), tokens: kept(tokens, {}) };
    });
  }

  /** Asks what the issuer says now. @returns undefined: the issuer has ended what the token stands for. @throws GatelogError 503. */
  async refresh(tokens: IssuerTokens, subject: string): Promise<Told | undefined> {
    const { refreshToken } = tokens;
    if (refreshToken === undefined) return undefined;
    return this.asking(async (library, configuration) => {
      try {
        const fresh = await library.refreshTokenGrant(configuration, refreshToken);
        const claims = fresh.claims();
        if (claims !== undefined && claims.sub !== subject) return undefined;
        return { identity: await this.identity(library, configuration, { claims, subject, tokens: fresh }), tokens: kept(fresh, tokens) };
      } catch (error) {
        if (hasEnded(error)) return undefined;
        // The account may well be in order.
        throw isUndecided(error) ? awayError(error, this.settings.issuer) : error;
      }
    });
  }

  /** The issuer's address that ends the session there; undefined: it offers none. @throws GatelogError 503. */
  async endAddress({ idToken }: IssuerTokens, returnTo: string): Promise<string | undefined> {
    return this.asking(async (library, configuration) => {
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      const hint = idToken === undefined ? {} : { id_token_hint: idToken };
      return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo, ...hint }).href;
    });
  }

  private async asking<Result>(work: (library: Library, configuration: Configuration) => Promise<Result>): Promise<Result> {
    // Anybody may begin a sign-in: an issuer that is slow or away must not hold ever more calls.
    if (this.running >= maxAtOnce) throw new GatelogError('service_busy', 'Too many sign-ins run at once; try again in a moment.');
    this.running += 1;
    try {
      const library = await (this.library ??= import('openid-client'));
      return await work(library, await this.configuration(library));
    } catch (error) {
      throw explainFailure(error, this.settings.issuer);
    } finally {
      this.running -= 1;
    }
  }

  /** TRICKY: a configuration keeps an issuer's keys for minutes, also when the issuer has others by now. So each use has one of its own. */
  private async configuration(library: Library): Promise<Configuration> {
    const { issuer, clientId, clientSecret, now } = this.settings;
    const client = {
      [library.clockSkew]: Math.round((now() - Date.now()) / 1000),
      [library.clockTolerance]: clockToleranceSeconds,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    };
    const authentication = clientSecret === undefined ? library.None() : undefined;
    const plain: PlainHttp = library;
    const isPlain = issuer.startsWith('http:');
    if (this.discovered === undefined || now() - this.discovered.at > discoveryFreshMs) {
      const found = await library.discovery(new URL(issuer), clientId, client, authentication, {
        [library.customFetch]: boundedFetch,
        timeout: timeoutSeconds,
        execute: isPlain ? [plain.allowInsecureRequests] : [],
      });
      this.discovered = { at: now(), metadata: found.serverMetadata() };
    }
    const configuration = new library.Configuration(this.discovered.metadata, clientId, client, authentication);
    configuration[library.customFetch] = boundedFetch;
    configuration.timeout = timeoutSeconds;
    if (isPlain) plain.allowInsecureRequests(configuration);
    // Without it the library trusts a token that came over TLS, whoever signed it.
    library.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  private checkTime(issuedAt: number): void {
    const ageSeconds = this.settings.now() / 1000 - issuedAt;
    if (ageSeconds >= -clockToleranceSeconds && ageSeconds <= maxAgeSeconds) return;
    const off = `${Math.round(Math.abs(ageSeconds))} seconds ${ageSeconds < 0 ? 'ahead of' : 'behind'}`;
    throw new GatelogError(
      'permission_denied',
      `The issuer's clock is ${off} ours, so nothing tells whether its answer is still good. Set the clocks of both machines by NTP.`,
    );
  }

  /** From the ID token, and from the issuer's list of what it knows where the token says less. */
  private async identity(
    library: Library,
    configuration: Configuration,
    given: { readonly claims: Claims | undefined; readonly subject: string; readonly tokens: { readonly access_token: string } },
  ): Promise<PersonIdentity> {
    const { issuer, groupsClaim } = this.settings;
    const { claims = {}, subject, tokens } = given;
    const isEnough = saysAll(claims, groupsClaim) || configuration.serverMetadata().userinfo_endpoint === undefined;
    const more = isEnough ? {} : await library.fetchUserInfo(configuration, tokens.access_token, subject);
    return identityOf(issuer, subject, { ...more, ...claims }, groupsClaim);
  }
}

function kept(
  { refresh_token: refreshToken, id_token: idToken }: { readonly refresh_token?: string; readonly id_token?: string },
  before: IssuerTokens,
): IssuerTokens {
  const [refresh, id] = [refreshToken ?? before.refreshToken, idToken ?? before.idToken];
  return {
    ...(refresh === undefined || refresh.length > maxTokenCharacters ? {} : { refreshToken: refresh }),
    ...(id === undefined || id.length > maxTokenCharacters ? {} : { idToken: id }),
  };
}
