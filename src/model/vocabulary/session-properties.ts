/**
 * Names under which the session headers stand among the properties. The property is the fact and the record's session column follows it,
 * whether it came as a header, in `Svc-Properties` or by an update.
 */
export const sessionProperties = { sessionId: 'Svc-Session-Id', sessionName: 'Svc-Session-Name', sessionPath: 'Svc-Session-Path' } as const;

/** The property under which the feedback on a whole session stands at its first request: `1` is good, `0` is bad. */
export const sessionFeedbackProperty = 'Svc-Session-Feedback';
