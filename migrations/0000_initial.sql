CREATE TABLE "action_items" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"item_id" text NOT NULL,
	"completed" boolean NOT NULL,
	"due_on" date NOT NULL,
	"assignee_key" text,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "action_items_user_id_session_id_item_id_pk" PRIMARY KEY("user_id","session_id","item_id")
);
--> statement-breakpoint
CREATE TABLE "console_sessions" (
	"user_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"guest" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "console_sessions_user_id_hash_pk" PRIMARY KEY("user_id","hash")
);
--> statement-breakpoint
CREATE TABLE "sign_in_links" (
	"link_id" text PRIMARY KEY NOT NULL,
	"email" text,
	"for_user" text,
	"browser" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "user_identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "user_identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "deletions" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"what" text NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	"by" text,
	CONSTRAINT "deletions_user_id_session_id_what_pk" PRIMARY KEY("user_id","session_id","what")
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"user_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"attempted_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status" integer,
	"error" text,
	"answer" text NOT NULL,
	"answer_headers" text DEFAULT '' NOT NULL,
	"ended" text,
	CONSTRAINT "webhook_attempts_user_id_webhook_id_seq_attempt_pk" PRIMARY KEY("user_id","webhook_id","seq","attempt")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"user_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"attempt" integer NOT NULL,
	"attempts_before" integer NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"claim_id" text,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "webhook_deliveries_user_id_webhook_id_seq_pk" PRIMARY KEY("user_id","webhook_id","seq")
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "webhook_queue" (
	"user_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"next_due" timestamp (3) with time zone,
	"paused_until" timestamp (3) with time zone,
	"answer_ms" integer,
	CONSTRAINT "webhook_queue_user_id_webhook_id_pk" PRIMARY KEY("user_id","webhook_id")
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "event_texts" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"hash" text NOT NULL,
	"json" text NOT NULL,
	"last_seq" bigint NOT NULL,
	"last_outside" bigint NOT NULL,
	CONSTRAINT "event_texts_user_id_session_id_hash_pk" PRIMARY KEY("user_id","session_id","hash")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"user_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"session_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"body" text NOT NULL,
	"texts" text[],
	"end_bytes" bigint,
	CONSTRAINT "events_user_id_seq_pk" PRIMARY KEY("user_id","seq")
);
--> statement-breakpoint
CREATE TABLE "token_cursors" (
	"user_id" text NOT NULL,
	"token_id" text NOT NULL,
	"seq" bigint NOT NULL,
	CONSTRAINT "token_cursors_user_id_token_id_pk" PRIMARY KEY("user_id","token_id")
);
--> statement-breakpoint
CREATE TABLE "folder_sessions" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"folder_id" text NOT NULL,
	"sort_at" timestamp(6) with time zone NOT NULL,
	"type" text NOT NULL,
	CONSTRAINT "folder_sessions_user_id_session_id_folder_id_pk" PRIMARY KEY("user_id","session_id","folder_id")
);
--> statement-breakpoint
CREATE TABLE "folders" (
	"user_id" text NOT NULL,
	"folder_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"color" text,
	"pinned" boolean,
	"sort_order" text,
	"order" bigint,
	"session_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone,
	"last_opened_at" timestamp (3) with time zone,
	"keep" boolean,
	CONSTRAINT "folders_user_id_folder_id_pk" PRIMARY KEY("user_id","folder_id")
);
--> statement-breakpoint
CREATE TABLE "media" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"content_type" text NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "media_user_id_session_id_kind_pk" PRIMARY KEY("user_id","session_id","kind")
);
--> statement-breakpoint
CREATE TABLE "session_days" (
	"user_id" text NOT NULL,
	"day" date NOT NULL,
	"type" text NOT NULL,
	"platform" text NOT NULL,
	"sessions" integer NOT NULL,
	"seconds" numeric NOT NULL,
	CONSTRAINT "session_days_user_id_day_type_platform_pk" PRIMARY KEY("user_id","day","type","platform")
);
--> statement-breakpoint
CREATE TABLE "session_tags" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"tag" text NOT NULL,
	"sort_at" timestamp(6) with time zone NOT NULL,
	"type" text NOT NULL,
	CONSTRAINT "session_tags_user_id_session_id_tag_pk" PRIMARY KEY("user_id","session_id","tag")
);
--> statement-breakpoint
CREATE TABLE "oauth_clients" (
	"client_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"name" text,
	"redirect_uris" text[] NOT NULL,
	"secret_hash" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone,
	"used_at" timestamp (3) with time zone,
	"sender" "bytea"
);
--> statement-breakpoint
CREATE TABLE "oauth_grants" (
	"user_id" text NOT NULL,
	"token_id" text NOT NULL,
	"client_id" text NOT NULL,
	"client_name" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"challenge" text NOT NULL,
	"audience" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "oauth_grants_user_id_token_id_pk" PRIMARY KEY("user_id","token_id")
);
--> statement-breakpoint
CREATE TABLE "oauth_secrets" (
	"user_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"token_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "oauth_secrets_user_id_hash_pk" PRIMARY KEY("user_id","hash")
);
--> statement-breakpoint
CREATE TABLE "people" (
	"user_id" text NOT NULL,
	"person_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text,
	"is_me" boolean NOT NULL,
	"saved" boolean NOT NULL,
	"recording_count" integer NOT NULL,
	"talk_seconds" numeric DEFAULT 0 NOT NULL,
	"last_heard_at" timestamp(6) with time zone,
	"merged_into" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "people_user_id_person_id_pk" PRIMARY KEY("user_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "session_people" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"person_id" text NOT NULL,
	"sort_at" timestamp(6) with time zone NOT NULL,
	"type" text NOT NULL,
	"talk_seconds" double precision NOT NULL,
	"name_in_session" text NOT NULL,
	"name_keys" text[] DEFAULT '{}' NOT NULL,
	"matched_by" text NOT NULL,
	"top_lines" text[] NOT NULL,
	CONSTRAINT "session_people_user_id_session_id_person_id_pk" PRIMARY KEY("user_id","session_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "unknown_speakers" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"name_key" text NOT NULL,
	CONSTRAINT "unknown_speakers_user_id_name_key_session_id_pk" PRIMARY KEY("user_id","name_key","session_id")
);
--> statement-breakpoint
CREATE TABLE "search_documents" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"part" text NOT NULL,
	"stemmer" text NOT NULL,
	"version" integer NOT NULL,
	"passages" integer NOT NULL,
	"terms" text[] NOT NULL,
	"words" integer,
	CONSTRAINT "search_documents_user_id_session_id_part_pk" PRIMARY KEY("user_id","session_id","part")
);
--> statement-breakpoint
CREATE TABLE "search_terms" (
	"user_id" text NOT NULL,
	"term" text NOT NULL,
	"session_id" text NOT NULL,
	"part" text NOT NULL,
	"passages" smallint NOT NULL,
	"most" real NOT NULL,
	"ordinals" smallint[] NOT NULL,
	"weights" real[] NOT NULL,
	CONSTRAINT "search_terms_user_id_term_session_id_part_pk" PRIMARY KEY("user_id","term","session_id","part") INCLUDE ("passages","most")
);
--> statement-breakpoint
CREATE TABLE "search_totals" (
	"user_id" text NOT NULL,
	"stemmer" text NOT NULL,
	"sessions" integer NOT NULL,
	"passages" integer NOT NULL,
	CONSTRAINT "search_totals_user_id_stemmer_pk" PRIMARY KEY("user_id","stemmer")
);
--> statement-breakpoint
CREATE TABLE "vector_indexes" (
	"user_id" text NOT NULL,
	"model" text NOT NULL,
	"dimension" integer NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "vector_indexes_user_id_model_pk" PRIMARY KEY("user_id","model")
);
--> statement-breakpoint
CREATE TABLE "secret_key_checks" (
	"name" text PRIMARY KEY NOT NULL,
	"encrypted" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_changes" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"position" bigint NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "session_changes_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "embeddings" (
	"user_id" text NOT NULL,
	"model" text NOT NULL,
	"session_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"dimension" integer NOT NULL,
	"vector" halfvec,
	CONSTRAINT "embeddings_user_id_model_session_id_ordinal_pk" PRIMARY KEY("user_id","model","session_id","ordinal")
);
--> statement-breakpoint
CREATE TABLE "passages" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"first_segment" integer NOT NULL,
	"last_segment" integer NOT NULL,
	"starts_at" double precision,
	"ends_at" double precision,
	"text" text NOT NULL,
	CONSTRAINT "passages_user_id_session_id_ordinal_pk" PRIMARY KEY("user_id","session_id","ordinal")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"state" text NOT NULL,
	"failure" text,
	"shown_failure" text,
	"waiting" text,
	"progress" real,
	"open_attempts" smallint DEFAULT 0 NOT NULL,
	"external_id" text,
	"title" text NOT NULL,
	"timestamp" timestamp (3) with time zone,
	"sort_at" timestamp(6) with time zone NOT NULL,
	"duration_seconds" double precision NOT NULL,
	"type" text NOT NULL,
	"platform" text,
	"language" text,
	"summary" text,
	"notes" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"favorite" boolean DEFAULT false NOT NULL,
	"keep" boolean DEFAULT false NOT NULL,
	"action_items" jsonb,
	"action_items_version" integer DEFAULT 0 NOT NULL,
	"action_items_updated_at" timestamp (3) with time zone,
	"phone" jsonb,
	"audio_url" text,
	"video_url" text,
	"audio_deleted_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"state_before_deletion" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "transcript_parts" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"start_ms" integer NOT NULL,
	"end_ms" integer NOT NULL,
	"transcript" jsonb,
	CONSTRAINT "transcript_parts_user_id_session_id_start_ms_pk" PRIMARY KEY("user_id","session_id","start_ms")
);
--> statement-breakpoint
CREATE TABLE "transcripts" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"segments" jsonb NOT NULL,
	"bytes" integer DEFAULT 0 NOT NULL,
	"speakers" jsonb NOT NULL,
	CONSTRAINT "transcripts_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "session_shares" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"summary" boolean DEFAULT true NOT NULL,
	"transcript" boolean DEFAULT true NOT NULL,
	"audio" boolean DEFAULT true NOT NULL,
	"action_items" boolean DEFAULT true NOT NULL,
	"removals" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "session_shares_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "share_counters" (
	"user_id" text PRIMARY KEY NOT NULL,
	"minute" timestamp (0) with time zone NOT NULL,
	"writes" integer NOT NULL,
	"day" date NOT NULL,
	"invites" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "share_grants" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"recipient_id" text NOT NULL,
	"sources" text[] NOT NULL,
	"shared_at" timestamp (3) with time zone NOT NULL,
	"active" boolean NOT NULL,
	"removal" integer,
	CONSTRAINT "share_grants_user_id_session_id_recipient_id_pk" PRIMARY KEY("user_id","session_id","recipient_id")
);
--> statement-breakpoint
CREATE TABLE "share_invites" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"email" text NOT NULL,
	"invite_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"message" text NOT NULL,
	"removals" integer NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"last_sent_at" timestamp (3) with time zone NOT NULL,
	"send_count" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"claimed_by" text,
	CONSTRAINT "share_invites_user_id_session_id_email_pk" PRIMARY KEY("user_id","session_id","email")
);
--> statement-breakpoint
CREATE TABLE "share_links" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"removals" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "share_links_user_id_session_id_hash_pk" PRIMARY KEY("user_id","session_id","hash")
);
--> statement-breakpoint
CREATE TABLE "share_secrets" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"kind" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared_with" (
	"recipient_id" text NOT NULL,
	"session_id" text NOT NULL,
	"owner_id" text NOT NULL,
	"shared_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "shared_with_recipient_id_session_id_owner_id_pk" PRIMARY KEY("recipient_id","session_id","owner_id")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"user_id" text NOT NULL,
	"upload_id" text NOT NULL,
	"name" text NOT NULL,
	"metadata" text NOT NULL,
	"bytes" bigint NOT NULL,
	"session_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"lease" text,
	"leased_until" timestamp (3) with time zone,
	"is_wanted" boolean DEFAULT false NOT NULL,
	CONSTRAINT "uploads_user_id_upload_id_pk" PRIMARY KEY("user_id","upload_id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"user_id" text NOT NULL,
	"actor" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"answer" text NOT NULL,
	"about" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_user_id_actor_key_pk" PRIMARY KEY("user_id","actor","key")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "rate_counters" (
	"token_id" text PRIMARY KEY NOT NULL,
	"minute" timestamp (0) with time zone NOT NULL,
	"minute_count" integer NOT NULL,
	"day" date NOT NULL,
	"day_count" integer NOT NULL,
	"admitted" integer NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "rate_days" (
	"token_id" text PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"day_count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "token_owners" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"token_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"scopes" text[]
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"user_id" text NOT NULL,
	"token_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"hint" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"noticed_days" integer,
	"audience" text,
	CONSTRAINT "tokens_user_id_token_id_pk" PRIMARY KEY("user_id","token_id")
);
--> statement-breakpoint
CREATE TABLE "user_counters" (
	"user_id" text PRIMARY KEY NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"webhook_events" bigint DEFAULT 0 NOT NULL,
	"event_bytes" bigint DEFAULT 0 NOT NULL,
	"session_count" integer DEFAULT 0 NOT NULL,
	"change_position" bigint DEFAULT 0 NOT NULL,
	"forgotten_position" bigint DEFAULT 0 NOT NULL,
	"bytes_stored" bigint DEFAULT 0 NOT NULL,
	"folder_count" integer DEFAULT 0 NOT NULL,
	"person_count" integer DEFAULT 0 NOT NULL,
	"last_turn" integer DEFAULT 0 NOT NULL,
	"sessions_day" date,
	"sessions_on_day" integer DEFAULT 0 NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "user_emails" (
	"email" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"user_id" text PRIMARY KEY NOT NULL,
	"name" text,
	"email" text,
	"email_verified_at" timestamp (3) with time zone,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"subscription_active" boolean DEFAULT true NOT NULL,
	"verified_caller_id" text,
	"quotas" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"retention_audio_days" integer,
	"retention_session_days" integer,
	"guest" boolean DEFAULT false NOT NULL,
	"unshared_since" timestamp (3) with time zone,
	"operator" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"user_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"active" boolean NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" timestamp (3) with time zone,
	"headers" text,
	"header_names" text[] DEFAULT '{}' NOT NULL,
	"failure_count" integer NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"last_delivery_at" timestamp (3) with time zone,
	"last_delivery_status" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhooks_user_id_webhook_id_pk" PRIMARY KEY("user_id","webhook_id")
);
--> statement-breakpoint
ALTER TABLE "action_items" ADD CONSTRAINT "action_items_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_webhook_fk" FOREIGN KEY ("user_id","webhook_id") REFERENCES "public"."webhooks"("user_id","webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_fk" FOREIGN KEY ("user_id","webhook_id") REFERENCES "public"."webhooks"("user_id","webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_queue" ADD CONSTRAINT "webhook_queue_webhook_fk" FOREIGN KEY ("user_id","webhook_id") REFERENCES "public"."webhooks"("user_id","webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_texts" ADD CONSTRAINT "event_texts_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_cursors" ADD CONSTRAINT "token_cursors_token_fk" FOREIGN KEY ("user_id","token_id") REFERENCES "public"."tokens"("user_id","token_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folder_sessions" ADD CONSTRAINT "folder_sessions_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folder_sessions" ADD CONSTRAINT "folder_sessions_folder_fk" FOREIGN KEY ("user_id","folder_id") REFERENCES "public"."folders"("user_id","folder_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "media" ADD CONSTRAINT "media_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_days" ADD CONSTRAINT "session_days_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_tags" ADD CONSTRAINT "session_tags_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_secrets" ADD CONSTRAINT "oauth_secrets_grant_fk" FOREIGN KEY ("user_id","token_id") REFERENCES "public"."oauth_grants"("user_id","token_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "people" ADD CONSTRAINT "people_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "people" ADD CONSTRAINT "people_merged_fk" FOREIGN KEY ("user_id","merged_into") REFERENCES "public"."people"("user_id","person_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_people" ADD CONSTRAINT "session_people_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_people" ADD CONSTRAINT "session_people_person_fk" FOREIGN KEY ("user_id","person_id") REFERENCES "public"."people"("user_id","person_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "unknown_speakers" ADD CONSTRAINT "unknown_speakers_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_documents" ADD CONSTRAINT "search_documents_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_terms" ADD CONSTRAINT "search_terms_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_totals" ADD CONSTRAINT "search_totals_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vector_indexes" ADD CONSTRAINT "vector_indexes_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_changes" ADD CONSTRAINT "session_changes_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "embeddings" ADD CONSTRAINT "embeddings_passage_fk" FOREIGN KEY ("user_id","session_id","ordinal") REFERENCES "public"."passages"("user_id","session_id","ordinal") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_parts" ADD CONSTRAINT "transcript_parts_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcripts" ADD CONSTRAINT "transcripts_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_shares" ADD CONSTRAINT "session_shares_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_counters" ADD CONSTRAINT "share_counters_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_grants" ADD CONSTRAINT "share_grants_share_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."session_shares"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_invites" ADD CONSTRAINT "share_invites_share_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."session_shares"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_links" ADD CONSTRAINT "share_links_share_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."session_shares"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "action_items_by_id" ON "action_items" USING btree ("user_id","item_id");--> statement-breakpoint
CREATE INDEX "action_items_listed" ON "action_items" USING btree ("user_id","completed","due_on","item_id","session_id");--> statement-breakpoint
CREATE INDEX "action_items_by_assignee" ON "action_items" USING btree ("user_id","assignee_key","completed","due_on","item_id");--> statement-breakpoint
CREATE INDEX "action_items_changed" ON "action_items" USING btree ("user_id","completed","updated_at","item_id","assignee_key","due_on","session_id");--> statement-breakpoint
CREATE INDEX "console_sessions_age" ON "console_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_links_email" ON "sign_in_links" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "sign_in_links_age" ON "sign_in_links" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "user_identities_user" ON "user_identities" USING btree ("user_id","issuer");--> statement-breakpoint
CREATE INDEX "deletions_deleted_at" ON "deletions" USING btree ("deleted_at");--> statement-breakpoint
CREATE INDEX "webhook_attempts_ended" ON "webhook_attempts" USING btree ("user_id","webhook_id","type","ended","seq") WHERE ended is not null;--> statement-breakpoint
CREATE INDEX "webhook_attempts_age" ON "webhook_attempts" USING brin ("attempted_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("user_id","webhook_id","next_at","seq") WHERE claim_id is null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_claimed" ON "webhook_deliveries" USING btree ("user_id","webhook_id") WHERE claim_id is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_leased" ON "webhook_deliveries" USING btree ("lease_until") WHERE claim_id is not null;--> statement-breakpoint
CREATE INDEX "webhook_queue_due" ON "webhook_queue" USING btree ("next_due");--> statement-breakpoint
CREATE INDEX "webhook_queue_slow_due" ON "webhook_queue" USING btree ("next_due") WHERE answer_ms > 2000;--> statement-breakpoint
CREATE UNIQUE INDEX "events_event_id" ON "events" USING btree ("user_id","event_id");--> statement-breakpoint
CREATE INDEX "events_by_session" ON "events" USING btree ("user_id","session_id");--> statement-breakpoint
CREATE INDEX "folder_sessions_listed" ON "folder_sessions" USING btree ("user_id","folder_id","sort_at","type","session_id");--> statement-breakpoint
CREATE INDEX "folders_listed" ON "folders" USING btree ("user_id",("pinned" is not true),(coalesce("order", 9007199254740992)),"name_key" collate "C");--> statement-breakpoint
CREATE UNIQUE INDEX "folders_name_key" ON "folders" USING btree ("user_id","name_key");--> statement-breakpoint
CREATE INDEX "media_aging" ON "media" USING btree ("user_id","created_at","session_id");--> statement-breakpoint
CREATE INDEX "session_tags_listed" ON "session_tags" USING btree ("user_id","tag","sort_at","type","session_id");--> statement-breakpoint
CREATE INDEX "oauth_clients_age" ON "oauth_clients" USING btree ("kind","used_at","created_at");--> statement-breakpoint
CREATE INDEX "oauth_clients_sender" ON "oauth_clients" USING btree ("sender","created_at","client_id");--> statement-breakpoint
CREATE INDEX "oauth_secrets_token" ON "oauth_secrets" USING btree ("user_id","token_id");--> statement-breakpoint
CREATE INDEX "oauth_secrets_age" ON "oauth_secrets" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "people_name_key" ON "people" USING btree ("user_id","name_key");--> statement-breakpoint
CREATE INDEX "people_listed" ON "people" USING btree ("user_id",is_me desc,(coalesce(last_heard_at, '-infinity')) desc,"person_id") WHERE merged_into is null and name_key is not null and (saved or is_me or recording_count > 0);--> statement-breakpoint
CREATE UNIQUE INDEX "people_me" ON "people" USING btree ("user_id") WHERE is_me;--> statement-breakpoint
CREATE INDEX "people_merged" ON "people" USING btree ("user_id","merged_into") WHERE merged_into is not null;--> statement-breakpoint
CREATE INDEX "session_people_listed" ON "session_people" USING btree ("user_id","person_id","sort_at","type","session_id");--> statement-breakpoint
CREATE INDEX "session_people_names" ON "session_people" USING btree ("user_id","person_id","name_keys") WHERE matched_by = 'name';--> statement-breakpoint
CREATE INDEX "unknown_speakers_session" ON "unknown_speakers" USING btree ("user_id","session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "session_changes_position" ON "session_changes" USING btree ("user_id","position");--> statement-breakpoint
CREATE INDEX "session_changes_present" ON "session_changes" USING btree ("user_id","position") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "session_changes_deleted" ON "session_changes" USING btree ("user_id","deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_sort_at" ON "sessions" USING btree ("user_id","sort_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_external_id" ON "sessions" USING btree ("user_id","external_id");--> statement-breakpoint
CREATE INDEX "sessions_listed" ON "sessions" USING btree ("user_id","sort_at","duration_seconds") WHERE state = 'completed';--> statement-breakpoint
CREATE INDEX "sessions_listed_by_type" ON "sessions" USING btree ("user_id","type","sort_at") WHERE state = 'completed';--> statement-breakpoint
CREATE INDEX "sessions_trashed" ON "sessions" USING btree ("user_id","sort_at","type") WHERE state = 'deleted';--> statement-breakpoint
CREATE INDEX "sessions_failed" ON "sessions" USING btree ("user_id","sort_at","type") WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX "sessions_processing" ON "sessions" USING btree ("user_id","session_id") WHERE state = 'processing';--> statement-breakpoint
CREATE INDEX "sessions_aging" ON "sessions" USING btree ("user_id","created_at","session_id") WHERE not keep;--> statement-breakpoint
CREATE INDEX "sessions_linked" ON "sessions" USING btree ("user_id","created_at","session_id") WHERE audio_url is not null or video_url is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "share_invites_invite_id" ON "share_invites" USING btree ("user_id","invite_id");--> statement-breakpoint
CREATE INDEX "share_invites_age" ON "share_invites" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "share_links_age" ON "share_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "share_secrets_session" ON "share_secrets" USING btree ("user_id","session_id");--> statement-breakpoint
CREATE INDEX "shared_with_listed" ON "shared_with" USING btree ("recipient_id","shared_at","owner_id","session_id");--> statement-breakpoint
CREATE INDEX "uploads_age" ON "uploads" USING brin ("expires_at");--> statement-breakpoint
CREATE INDEX "uploads_by_session" ON "uploads" USING btree ("user_id","session_id") WHERE session_id is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "users_guests" ON "users" USING btree ("user_id") WHERE guest;