CREATE TABLE "summary_requests" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"request_id" text NOT NULL,
	"status" text NOT NULL,
	"language" text,
	"action_items" text NOT NULL,
	"error" text,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "summary_requests_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "term_applications" (
	"user_id" text NOT NULL,
	"term_id" text NOT NULL,
	"application_id" text NOT NULL,
	"status" text NOT NULL,
	"dry_run" boolean NOT NULL,
	"heard" text[] NOT NULL,
	"meant" text NOT NULL,
	"position" text NOT NULL,
	"last_session" text NOT NULL,
	"sessions_total" integer NOT NULL,
	"sessions_done" integer DEFAULT 0 NOT NULL,
	"sessions_changed" integer DEFAULT 0 NOT NULL,
	"sessions_left_out" integer DEFAULT 0 NOT NULL,
	"lines_changed" integer DEFAULT 0 NOT NULL,
	"examples" text[] DEFAULT '{}' NOT NULL,
	"error" text,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "term_applications_user_id_term_id_pk" PRIMARY KEY("user_id","term_id")
);
--> statement-breakpoint
CREATE TABLE "terms" (
	"user_id" text NOT NULL,
	"term_id" text NOT NULL,
	"heard" text[] NOT NULL,
	"meant" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "terms_user_id_term_id_pk" PRIMARY KEY("user_id","term_id")
);
--> statement-breakpoint
ALTER TABLE "summary_requests" ADD CONSTRAINT "summary_requests_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "term_applications" ADD CONSTRAINT "term_applications_term_fk" FOREIGN KEY ("user_id","term_id") REFERENCES "public"."terms"("user_id","term_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "terms" ADD CONSTRAINT "terms_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;