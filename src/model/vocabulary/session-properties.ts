/**
 * Property names of the session headers. The record's session columns follow these properties, whether they came as a header, in `Svc-
 * Properties` or by an update.
 */
export const sessionProperties = { sessionId: 'Svc-Session-Id', sessionName: 'Svc-Session-Name', sessionPath: 'Svc-Session-Path' } as const;

/** Feedback on a whole session, stored at its first request: `1` is good, `0` is bad. */
export const sessionFeedbackProperty = 'Svc-Session-Feedback';
