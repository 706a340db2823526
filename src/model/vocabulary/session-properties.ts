/**
 * Names under which the session headers stand among the properties. The property is the fact and the record's session column follows it,
 * whether it came as a header, in `Svc-Properties` or by an update.
 */
export const sessionProperties = { sessionId: 'Svc-Session-Id', sessionName: 'Svc-Session-Name', sessionPath: 'Svc-Session-Path' } as const;
