/** True for a stream of events. A media type has no case (RFC 9110 §8.3.1). @param contentType value of a `Content-Type`. */
export function isEventStream(contentType: string | undefined): boolean {
  return contentType !== undefined && /event-stream/i.test(contentType);
}
