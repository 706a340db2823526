/** What the server tells endpoints of the client. */
export interface ClientBindings {
  /** Its IP address; undefined without a connection. */
  readonly clientAddress: () => string | undefined;
}
