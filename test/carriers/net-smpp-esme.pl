# A client built on Perl's Net::SMPP, which shares no code with ours: it submits, accepts what arrives, and prints what it
# reads.
use strict;
use warnings;
use Net::SMPP;

$| = 1;
my ($port, $deliveries) = @ARGV;
my ($session, $bound) = Net::SMPP->new_transceiver('127.0.0.1', port => $port, system_id => 'perl', password => 'secret')
    or die "can't bind: $!";
print "bound $bound->{status} $bound->{system_id}\n";
$session->autoflush(1);
for my $to ('46701740699', '46701740611') {
    my $answer = $session->submit_sm(source_addr => '46701740605', destination_addr => $to, registered_delivery => 1,
        short_message => 'Hello from Perl');
    print "answer $answer->{status} $answer->{message_id}\n";
}
while ($deliveries > 0) {
    my $pdu = $session->read_pdu or die "nothing more comes: $!";
    if ($pdu->{cmd} == Net::SMPP::CMD_deliver_sm) {
        print "delivered $pdu->{esm_class} $pdu->{source_addr} $pdu->{short_message}\n";
        $session->deliver_sm_resp(seq => $pdu->{seq}, message_id => '');
        $deliveries -= 1;
    }
    elsif ($pdu->{cmd} == Net::SMPP::CMD_enquire_link) { $session->enquire_link_resp(seq => $pdu->{seq}) }
    else { print "unexpected $pdu->{cmd}\n" }
}
my $alive = $session->enquire_link();
print "alive $alive->{status}\n";
my $left = $session->unbind();
print "left $left->{status}\n";
