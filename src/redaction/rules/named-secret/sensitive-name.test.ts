import { describe, expect, it } from 'vitest';
import { canNameSecret, classifyName, makeNameClassifier } from './sensitive-name.ts';

const none: ReadonlySet<string> = new Set();

describe('classifyName', () => {
  it.each(
    'password DB_PASSWORD dbPassword user-password PGPASSWORD passwd pwd old_password passphrase smtp_pass requirepass db_pw'.split(
      ' ',
    ),
  )('classifies %s as a password', (name) => {
    expect(classifyName(name, none)).toBe('password');
  });

  it.each(
    'secret clientSecret token access_token authToken _authToken X-Api-Key apikey APIKey AWS_SECRET_ACCESS_KEY privateKey SECRET_KEY_BASE API_KEY_2 JSESSIONID accountKey client-key-data pw'.split(
      ' ',
    ),
  )('classifies %s as a secret', (name) => {
    expect(classifyName(name, none)).toBe('secret');
  });

  it.each(
    'key primaryKey cache_key public_key max_tokens token_count tokenizer tokens nextPageToken page_token progressToken eos_token token_type token_url client-certificate-data password_hash passwordResetUrl forgot_password has_password secretName secret_id monkey compass bypass passport keyboard'.split(
      ' ',
    ),
  )('classifies %s as harmless', (name) => {
    expect(classifyName(name, none)).toBeUndefined();
  });

  it('classifies a configured name in any spelling as a password', () => {
    expect(classifyName('PatientId', new Set(['patientid']))).toBe('password');
    expect(classifyName('patient-id', new Set(['patientid']))).toBe('password');
    expect(classifyName('patient', new Set(['patientid']))).toBeUndefined();
  });

  it.each('auth _auth NPM_AUTH'.split(' '))('classifies %s as a login', (name) => {
    expect(classifyName(name, none)).toBe('login');
  });
});

describe('canNameSecret', () => {
  it.each(
    'password tokens token-file --auth-mode credentials BEARER cookieJar oauthClient passwordHash apiKeyName'.split(
      ' ',
    ),
  )('accepts %s', (name) => {
    expect(canNameSecret(name, makeNameClassifier([]))).toBe(true);
  });

  it.each('command max_tokens author keys port compass passport'.split(' '))('rejects %s', (name) => {
    expect(canNameSecret(name, makeNameClassifier([]))).toBe(false);
  });
});
