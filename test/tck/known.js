/** Cases of the kit that contradict the specification as it is now, and why: README.md tells more of each. */
export const known = new Map([
  ...['grpc', 'jsonrpc', 'http_json'].map((transport) => [
    `test_requirements::test_must_requirement[CORE-SEND-003-${transport}]`,
    '3.1.1: the refusal that it asks for is counted as a failure',
  ]),
  ...[
    'TestRestErrorStructure::test_error_uses_aip193_format',
    'TestRestFormat::test_response_content_type',
    'TestAIP193ErrorFormat::test_error_content_type',
  ].map((name) => [name, '11.1: the media type is application/a2a+json']),
  [
    'TestGrpcStatusCodes::test_version_not_supported_returns_unimplemented',
    '5.4: VersionNotSupportedError is FAILED_PRECONDITION',
  ],
  [
    'TestGrpcStatusCodes::test_push_not_supported_returns_unimplemented',
    '5.4: PushNotificationNotSupportedError is FAILED_PRECONDITION',
  ],
]);
