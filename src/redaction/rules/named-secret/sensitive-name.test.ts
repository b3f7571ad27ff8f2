import { describe, expect, it } from 'vitest';
import { kindOfName, kindsOfNames, mayNameSecret } from './sensitive-name.ts';

const none: ReadonlySet<string> = new Set();

describe('a name', () => {
  it.each(
    'password DB_PASSWORD dbPassword user-password PGPASSWORD passwd pwd old_password passphrase smtp_pass requirepass db_pw'.split(
      ' ',
    ),
  )('%s is that of a password', (name) => {
    expect(kindOfName(name, none)).toBe('password');
  });

  it.each(
    'secret clientSecret token access_token authToken _authToken X-Api-Key apikey APIKey AWS_SECRET_ACCESS_KEY privateKey SECRET_KEY_BASE API_KEY_2 JSESSIONID accountKey client-key-data pw'.split(
      ' ',
    ),
  )('%s is that of a secret', (name) => {
    expect(kindOfName(name, none)).toBe('secret');
  });

  it.each(
    'key primaryKey cache_key public_key max_tokens token_count tokenizer tokens nextPageToken page_token progressToken eos_token token_type token_url client-certificate-data password_hash passwordResetUrl forgot_password has_password secretName secret_id monkey compass bypass passport keyboard'.split(
      ' ',
    ),
  )('%s is neither', (name) => {
    expect(kindOfName(name, none)).toBeUndefined();
  });

  it('is what an operator says it is, in any spelling', () => {
    expect(kindOfName('PatientId', new Set(['patientid']))).toBe('password');
    expect(kindOfName('patient-id', new Set(['patientid']))).toBe('password');
    expect(kindOfName('patient', new Set(['patientid']))).toBeUndefined();
  });

  it.each('auth _auth NPM_AUTH'.split(' '))('%s is that of a login', (name) => {
    expect(kindOfName(name, none)).toBe('login');
  });

  it.each(
    'password tokens token-file --auth-mode credentials BEARER cookieJar oauthClient passwordHash apiKeyName'.split(
      ' ',
    ),
  )('%s may announce a secret', (name) => {
    expect(mayNameSecret(name, kindsOfNames([]))).toBe(true);
  });

  it.each('command max_tokens author keys port compass passport'.split(' '))('%s announces none', (name) => {
    expect(mayNameSecret(name, kindsOfNames([]))).toBe(false);
  });
});
