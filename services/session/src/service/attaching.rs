//! A device's stream of notices.

use std::sync::Arc;

use tengen_kit::shutdown::Shutdown;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_link::{Here, Stay};
use tengen_live::{LiveError, WakeUps};
use tengen_proto::session::v1::attach_response::Message as Told;
use tengen_proto::session::v1::{AttachResponse, Heartbeat};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status};

use crate::notices::Notices;
use crate::{convert, error};

/// How often a stream says that it lives; lost wake-ups are healed then.
const HEARTBEAT_MS: i64 = 5_000;
/// How long a stream lives before its client must choose a replica again.
const STREAM_MS: i64 = 30 * 60 * 1_000;

/// What a device reads.
pub(crate) type Attached = ReceiverStream<Result<AttachResponse, Status>>;

/// What streams are made of.
#[derive(Clone)]
pub(crate) struct Streams {
    pub(crate) notices: Notices,
    pub(crate) here: Here,
    pub(crate) time: SharedTime,
    pub(crate) shutdown: Shutdown,
}

/// Who attaches, and what it has.
pub(crate) struct Device {
    pub(crate) player_id: String,
    pub(crate) device_id: String,
    /// The last notice it has.
    pub(crate) sequence: i64,
}

struct Stream {
    streams: Streams,
    device: Device,
    /// Of this stream among those of the device.
    number: i64,
    notices: WakeUps,
    devices: WakeUps,
    sender: mpsc::Sender<Result<AttachResponse, Status>>,
    ends_ms: i64,
    _stay: Stay,
}

impl Streams {
    /// Attaches a device: it is sent what it lacks, and what comes.
    ///
    /// # Errors
    /// When the live state fails.
    pub(crate) async fn attach(&self, device: Device) -> Result<Attached, Refusal> {
        let failed = |error: LiveError| error::live_failed(&error);
        let (player_id, notices) = (&device.player_id, &self.notices);
        // Subscribed before anything is read, so that nothing falls between.
        let devices = notices.device_wake_ups(player_id).await.map_err(failed)?;
        let wake_ups = notices.wake_ups(player_id).await.map_err(failed)?;
        let number = notices.take_over(player_id, &device.device_id).await.map_err(failed)?;
        let (sender, receiver) = mpsc::channel(8);
        let stream = Stream {
            _stay: self.here.enter(player_id),
            ends_ms: self.time.now_ms().saturating_add(STREAM_MS),
            streams: self.clone(),
            device,
            number,
            notices: wake_ups,
            devices,
            sender,
        };
        tokio::spawn(stream.run());
        Ok(ReceiverStream::new(receiver))
    }
}

impl Stream {
    async fn run(mut self) {
        if let Err(Some(refusal)) = self.pass().await {
            // The device may be gone.
            let sequence = self.device.sequence;
            let _ = self.sender.send(Err(refusal.meta("sequence", sequence).into())).await;
        }
    }

    /// Passes notices on until the device leaves (`None`), or has to.
    async fn pass(&mut self) -> Result<(), Option<Refusal>> {
        let time = Arc::clone(&self.streams.time);
        self.send_new().await?;
        self.send(Told::Heartbeat(Heartbeat { sequence: self.device.sequence })).await?;
        let mut beat_ms = time.now_ms().saturating_add(HEARTBEAT_MS);
        loop {
            let elsewhere = || Some(error::resume_elsewhere());
            tokio::select! {
                wake = self.notices.next() => {
                    wake.ok_or_else(elsewhere)?;
                    self.send_new().await?;
                }
                wake = self.devices.next() => {
                    wake.ok_or_else(elsewhere)?;
                    self.stay_if_latest().await?;
                }
                () = time.until(beat_ms) => {
                    self.stay_if_latest().await?;
                    self.send_new().await?;
                    self.send(Told::Heartbeat(Heartbeat { sequence: self.device.sequence })).await?;
                    beat_ms = time.now_ms().saturating_add(HEARTBEAT_MS);
                }
                () = self.sender.closed() => return Err(None),
                () = self.streams.shutdown.begun() => return Err(elsewhere()),
                () = time.until(self.ends_ms) => return Err(elsewhere()),
            }
        }
    }

    /// Sends what is new. While the live state is away, the next heartbeat tries again.
    async fn send_new(&mut self) -> Result<(), Option<Refusal>> {
        let Device { player_id, sequence, .. } = &self.device;
        match self.streams.notices.after(player_id, *sequence).await {
            Ok(notices) => {
                for message in notices {
                    let sequence = message.sequence;
                    self.send(Told::Notice(convert::notice(message))).await?;
                    self.device.sequence = sequence;
                }
            }
            Err(error) => tracing::warn!(%error, "no notices"),
        }
        Ok(())
    }

    async fn stay_if_latest(&self) -> Result<(), Option<Refusal>> {
        let Device { player_id, device_id, .. } = &self.device;
        let later = self.streams.notices.is_taken_over(player_id, device_id, self.number).await;
        match later {
            Ok(true) => Err(Some(superseded(device_id))),
            Ok(false) => Ok(()),
            Err(error) => {
                tracing::warn!(%error, "no devices");
                Ok(())
            }
        }
    }

    async fn send(&self, message: Told) -> Result<(), Option<Refusal>> {
        let response = AttachResponse { message: Some(message) };
        let ending = self.streams.shutdown.begun();
        tokio::select! {
            sent = self.sender.send(Ok(response)) => sent.map_err(|_| None),
            // One that reads nothing is not waited for.
            () = ending => Err(Some(error::resume_elsewhere())),
        }
    }
}

fn superseded(device_id: &str) -> Refusal {
    let message = "a later stream of the same device has taken over: do not try again";
    Refusal::new(Code::FailedPrecondition, "SUPERSEDED", message).meta("device_id", device_id)
}
